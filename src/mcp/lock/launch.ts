import { canonicalJson } from "../../base/json/canonical-json.ts";
import { hashJson, hashText } from "../../base/json/hash.ts";
import { maskSecretText } from "../../base/json/secrets/mask-secret-text.ts";
import { secretKeys } from "../../base/json/secrets/secret-keys.ts";
import { redactedMark } from "../../base/json/secrets/span.ts";
import {
  isStdioServer,
  type McpServer,
  type NamedMcpServer,
  type RemoteServer,
  type StdioServer,
} from "../../types/mcp.ts";
import type { Launch, LockedSandbox, RemoteLaunch } from "./lock.ts";

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
