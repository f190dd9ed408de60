import { canonicalJson } from "../../json/canonical-json.ts";
import { hashJson, hashText } from "../../json/hash.ts";
import { secretKeys } from "../../json/secrets/secret-keys.ts";
import { maskSecretText } from "../../json/secrets/secret-text.ts";
import { mask } from "../../json/secrets/span.ts";
import {
  isStdio,
  type McpServer,
  type NamedServer,
  type RemoteServer,
  type StdioServer,
} from "../../words/mcp.ts";
import type { Launch, LockedSandbox, RemoteLaunch } from "./locked.ts";

const isSecretKey = secretKeys();

/** A lock is published with the code, so what looks like a secret stays out of it; a digest tells that it changed. */
const withDigest = (masked: string, text: string): string =>
  masked === text ? text : masked.replaceAll(mask, `[redacted:${hashText(text).slice(0, 16)}]`);

const withoutSecrets = (text: string): string => withDigest(maskSecretText(text, isSecretKey), text);

const argumentsOf = (args: readonly string[]): readonly string[] =>
  args.map((arg, at) => {
    const before = args[at - 1];
    const isNamed = before?.startsWith("-") === true && !before.includes("=") && !arg.startsWith("-");
    return isNamed && isSecretKey(before.replace(/^-+/, "")) ? withDigest(mask, arg) : withoutSecrets(arg);
  });

const transportOf = ({ transport, url }: RemoteServer): RemoteLaunch["transport"] =>
  transport ?? (/^wss?:/i.test(url) ? "websocket" : "http");

/** What is pinned of a server. Values of its environment and of its headers are left out: they change with the machine. */
export const launchOf = (server: NamedServer | McpServer): Launch => {
  if (!isStdio(server)) {
    return Object.freeze({ url: withoutSecrets(server.url), transport: transportOf(server) });
  }
  const { command, args = [], cwd, env = {}, inheritEnv = [], sandbox } = server;
  return Object.freeze({
    command: withoutSecrets(command),
    args: Object.freeze(argumentsOf(args)),
    ...(cwd === undefined ? {} : { cwd }),
    envKeys: Object.freeze([...new Set([...Object.keys(env), ...inheritEnv])].sort()),
    ...(sandbox === undefined ? {} : { sandbox: sandboxOf(sandbox) }),
  });
};

/** In full, so that the short form and the long one of the same sandbox are one launch. */
const sandboxOf = (sandbox: NonNullable<StdioServer["sandbox"]>): LockedSandbox => {
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

/** In one line, as a person would check it. */
export const launchText = (launch: Launch): string => {
  if (!("command" in launch)) return `${launch.url} (${launch.transport})`;
  const { command, args, cwd, envKeys, sandbox } = launch;
  const words = [command, ...args].map((word) =>
    /^[\w@%+=:,./[\]-]+$/.test(word) ? word : JSON.stringify(word),
  );
  const place = cwd === undefined ? "" : ` in ${cwd}`;
  const given = envKeys.length === 0 ? "" : ` with ${envKeys.join(", ")}`;
  return `${words.join(" ")}${place}${given}${sandbox === undefined ? "" : sandboxText(sandbox)}`;
};

const sandboxText = ({ engine, read, write, network }: LockedSandbox): string => {
  const may = [
    ...(read.length === 0 ? [] : [`reads ${read.join(", ")}`]),
    ...(write.length === 0 ? [] : [`writes ${write.join(", ")}`]),
    ...(network ? ["uses the network"] : []),
  ];
  return ` in ${engine}${may.length === 0 ? "" : ` (${may.join("; ")})`}`;
};
