import { canonicalJson, hashJson, hashText } from "../../base/json/canonical-json.ts";
import { maskSecretText, secretKeys } from "../../base/json/secrets/mask-secret-text.ts";
import { redactedMark } from "../../base/json/secrets/span.ts";
import { shown } from "../../base/text/visible.ts";
import { ToolError } from "../../types/errors.ts";
import {
  isStdioServer,
  type McpServer,
  type NamedMcpServer,
  type RemoteServer,
  type StdioServer,
} from "../../types/mcp.ts";
import {
  type Launch,
  type Lock,
  type LockedSandbox,
  ownValue,
  type RemoteLaunch,
  type StdioLaunch,
} from "./lock.ts";

const isSecretKey = secretKeys();

/** Lockfiles are committed, so secrets are masked; the digest reveals a change. */
const withDigest = (masked: string, text: string): string =>
  masked === text ? text : masked.replaceAll(redactedMark, `[redacted:${hashText(text).slice(0, 16)}]`);

const maskWithDigest = (text: string): string => withDigest(maskSecretText(text, isSecretKey), text);

const maskArgumentSecrets = (args: readonly string[]): readonly string[] =>
  args.map((arg, at) => {
    const before = args[at - 1];
    const isNamed = before?.startsWith("-") === true && !before.includes("=") && !arg.startsWith("-");
    return isNamed && isSecretKey(before.replace(/^-+/, ""))
      ? withDigest(redactedMark, arg)
      : maskWithDigest(arg);
  });

const remoteTransportOf = ({ transport, url }: RemoteServer): RemoteLaunch["transport"] =>
  transport ?? (/^wss?:/i.test(url) ? "websocket" : "http");

/** Values of environment variables and headers differ per machine and are not pinned. */
export const launchOf = (server: NamedMcpServer | McpServer): Launch => {
  if (!isStdioServer(server)) {
    return Object.freeze({ url: maskWithDigest(server.url), transport: remoteTransportOf(server) });
  }
  const { command, args = [], cwd, env = {}, inheritEnv = [], sandbox } = server;
  return Object.freeze({
    command: maskWithDigest(command),
    args: Object.freeze(maskArgumentSecrets(args)),
    ...(cwd === undefined ? {} : { cwd }),
    envKeys: Object.freeze([...new Set([...Object.keys(env), ...inheritEnv])].sort()),
    ...(sandbox === undefined ? {} : { sandbox: lockedSandboxOf(sandbox) }),
  });
};

/** The short form and the long form are the same launch. */
const lockedSandboxOf = (sandbox: NonNullable<StdioServer["sandbox"]>): LockedSandbox => {
  const {
    engine,
    read = [],
    write = [],
    network = false,
  } = typeof sandbox === "string" ? { engine: sandbox } : sandbox;
  return Object.freeze({
    engine,
    read: Object.freeze([...new Set(read)].sort()),
    write: Object.freeze([...new Set(write)].sort()),
    network,
  });
};

export const launchHashOf = (launch: Launch): string => `sha256:${hashJson(launch)}`;

export const isSameLaunch = (one: Launch, other: Launch): boolean =>
  canonicalJson(one) === canonicalJson(other);

export const launchText = (launch: Launch): string => {
  if (!("command" in launch)) return `${launch.url} (${launch.transport})`;
  const { command, args, cwd, envKeys, sandbox } = launch;
  const words = [command, ...args].map((word) =>
    /^[\w@%+=:,./[\]-]+$/.test(word) ? word : JSON.stringify(word),
  );
  const place = cwd === undefined ? "" : ` in ${cwd}`;
  const environmentText = envKeys.length === 0 ? "" : ` with ${envKeys.join(", ")}`;
  return `${words.join(" ")}${place}${environmentText}${sandbox === undefined ? "" : sandboxText(sandbox)}`;
};

const sandboxText = ({ engine, read, write, network }: LockedSandbox): string => {
  const may = [
    ...(read.length === 0 ? [] : [`reads ${read.join(", ")}`]),
    ...(write.length === 0 ? [] : [`writes ${write.join(", ")}`]),
    ...(network ? ["uses the network"] : []),
  ];
  return ` in ${engine}${may.length === 0 ? "" : ` (${may.join("; ")})`}`;
};

interface PackageRunner {
  readonly packages: readonly string[];
  readonly values: readonly string[];
}

/** Commands that fetch the latest version. */
const packageRunners = new Map<string, PackageRunner>([
  ["npx", { packages: ["-p", "--package"], values: ["-c", "--call", "-w", "--workspace"] }],
  ["bunx", { packages: ["-p", "--package"], values: [] }],
  ["pnpx", { packages: ["--package"], values: [] }],
  ["uvx", { packages: ["--from", "--with"], values: ["-p", "--python"] }],
  ["pipx", { packages: ["--spec"], values: ["--python"] }],
]);

/** Variables that can load other code. */
const codeLoadingVariables = new Set([
  "NODE_OPTIONS",
  "LD_PRELOAD",
  "LD_LIBRARY_PATH",
  "DYLD_INSERT_LIBRARIES",
  "PYTHONPATH",
  "PYTHONSTARTUP",
  "BASH_ENV",
  "PATH",
]);

const isPinned = (wanted: string): boolean =>
  /^(?:\.{0,2}\/|file:)/.test(wanted) ||
  /(?:.@|==)v?\d+\.\d+\.\d+[\w.+-]*$/.test(wanted) ||
  /#[0-9a-f]{40}$/.test(wanted);

const packagesFetchedBy = (
  { packages, values }: PackageRunner,
  args: readonly string[],
): readonly string[] => {
  const named: string[] = [];
  for (let at = 0; at < args.length; at++) {
    const word = args[at]!;
    if (!word.startsWith("-")) return named.length > 0 ? named : [word];
    const equals = word.indexOf("=");
    const option = equals < 0 ? word : word.slice(0, equals);
    const isPackage = packages.includes(option);
    if (!isPackage && !values.includes(option)) continue;
    const value = equals < 0 ? args[++at] : word.slice(equals + 1);
    if (isPackage && value !== undefined) named.push(value);
  }
  return named;
};

const withoutVersion = (wanted: string): string => wanted.replace(/(?<=.)(?:@[^@/]*|==.*)$/, "");

export const findLaunchProblems = ({ command, args, envKeys }: StdioLaunch): readonly string[] => {
  const name = command
    .replace(/^.*[\\/]/, "")
    .replace(/\.(?:cmd|exe)$/i, "")
    .toLowerCase();
  const fetcher = packageRunners.get(name);
  const words = name === "pipx" && args[0] === "run" ? args.slice(1) : args;
  const open =
    fetcher === undefined ? [] : packagesFetchedBy(fetcher, words).filter((each) => !isPinned(each));
  const isLooseImage =
    /^(?:docker|podman)$/.test(name) &&
    args.includes("run") &&
    !args.some((arg) => /@sha256:[0-9a-f]{64}$/.test(arg));
  return [
    ...open.map((each) => {
      const pinned = name.startsWith("uv") || name === "pipx" ? "==1.2.3" : "@1.2.3";
      return `${name} fetches ${shown(each)} without a fixed version, so what runs may not be what was reviewed. Pin it: ${shown(withoutVersion(each))}${pinned}, with the version you reviewed.`;
    }),
    ...(isLooseImage ? [`${name} runs an image without a digest. Pin it: name@sha256:…`] : []),
    ...envKeys
      .filter((key) => codeLoadingVariables.has(key))
      .map((key) => `${key} can load other code into the process, and its value is not in the lock.`),
    ...([command, ...args].some((word) => word.includes("[redacted:"))
      ? ["An argument looks like a secret. Other users of this machine can see it: set it in env."]
      : []),
  ];
};

export type StartDecision =
  | { readonly ok: true; readonly findings?: readonly string[] }
  | {
      readonly ok: false;
      readonly reason: string;
      readonly was?: Launch | undefined;
      readonly now?: Launch;
    };

/** If the lockfile cannot be read, `lock` is the error and no server starts. */
export const checkStart = (lock: Lock | ToolError | undefined, server: NamedMcpServer): StartDecision => {
  const now = launchOf(server);
  const findings = "command" in now ? findLaunchProblems(now) : [];
  if (lock === undefined) return { ok: true, findings };
  if (ToolError.is(lock)) return { ok: false, reason: shown(lock.message, 300), was: undefined, now };
  const was = ownValue(lock.servers, server.id)?.launch;
  if (was !== undefined && isSameLaunch(was, now)) return { ok: true, findings };
  const does = isStdioServer(server) ? "started" : "reached";
  const [then, today] = excerptsOfDifference(
    was === undefined ? undefined : launchText(was),
    launchText(now),
  );
  const reviewed = then === undefined ? "it was never reviewed" : `it was reviewed as ${then}`;
  const reason = `The server ${shown(server.id)} is not ${does}: ${reviewed}, and now is ${today}. Review it with haft lock.`;
  return { ok: false, reason, was, now };
};

const maxShownLength = 200;
const shownPrefixLength = 40;

/** Cut at the end, long texts could look equal. */
const excerptsOfDifference = (
  was: string | undefined,
  now: string,
): readonly [string | undefined, string] => {
  if (was === undefined) return [undefined, shown(now, maxShownLength)];
  let same = 0;
  while (same < was.length && was[same] === now[same]) same += 1;
  const isCut = Math.max(was.length, now.length) > maxShownLength && same > shownPrefixLength;
  const from = isCut ? same - shownPrefixLength : 0;
  const tail = (text: string): string => `${isCut ? "…" : ""}${shown(text.slice(from), maxShownLength)}`;
  return [tail(was), tail(now)];
};
