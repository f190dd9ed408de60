import {
  isStdioServer,
  type MaybeSecret,
  type McpSessionServices,
  type NamedMcpServer,
  type StdioServer,
} from "../../../../types/mcp.ts";
import type { ServerTransport } from "../../transport/server-transport.ts";
import { StdioChildTransport, type StdioClientOptions } from "../../transport/stdio/stdio-client.ts";

export interface PreparedTransport {
  readonly open: () => ServerTransport;
  readonly isHttp: boolean;
  readonly isLegacyTransport: boolean;
  readonly openLegacy?: () => ServerTransport;
  readonly mask: (text: string) => string;
}

type RevealedValues = Record<string, string>;

const revealAll = async (
  entries: Readonly<Record<string, MaybeSecret>> | undefined,
  services: McpSessionServices,
  secrets: Set<string>,
  areAllSecret: boolean,
): Promise<RevealedValues> => {
  const values: RevealedValues = {};
  for (const [name, entry] of Object.entries(entries ?? {})) {
    const value = await services.reveal(entry);
    values[name] = value;
    if (!areAllSecret && typeof entry === "string") continue;
    // Also masks the token without its scheme.
    for (const part of [value, value.replace(/^\S+\s+/, "")]) if (part.length >= 6) secrets.add(part);
  }
  return values;
};

const createSecretMask = (secrets: ReadonlySet<string>) => {
  const longestFirst = [...secrets].sort((a, b) => b.length - a.length);
  return (text: string): string => {
    let masked = text;
    for (const secret of longestFirst) masked = masked.replaceAll(secret, "[secret]");
    return masked;
  };
};

export const prepareTransport = async (
  server: NamedMcpServer,
  services: McpSessionServices,
): Promise<PreparedTransport> => {
  const secrets = new Set<string>();
  if (isStdioServer(server)) {
    const ownVariables = await revealAll(server.env, services, secrets, false);
    const mask = createSecretMask(secrets);
    const env = childEnvironment(ownVariables, server.inheritEnv ?? []);
    const { onStderr } = services;
    const start = await startCommandOf(server, env);
    const open = () =>
      new StdioChildTransport({
        ...start,
        maxMessageBytes: server.maxMessageBytes,
        ...(onStderr === undefined ? {} : { onStderr: (line: string) => onStderr(mask(line)) }),
      });
    return { open, isHttp: false, isLegacyTransport: false, mask };
  }
  const headers = await revealAll(server.headers, services, secrets, true);
  const { prepareRemote } = await import("../../transport/prepare-remote.ts");
  return { ...prepareRemote(server, services, headers), mask: createSecretMask(secrets) };
};

const posixVariables = [
  "HOME",
  "LANG",
  "LC_ALL",
  "LC_CTYPE",
  "LOGNAME",
  "PATH",
  "SHELL",
  "TERM",
  "TMPDIR",
  "TZ",
  "USER",
  "XDG_CACHE_HOME",
  "XDG_CONFIG_HOME",
  "XDG_DATA_HOME",
];

const windowsVariables = [
  "APPDATA",
  "COMSPEC",
  "HOMEDRIVE",
  "HOMEPATH",
  "LOCALAPPDATA",
  "PATH",
  "PATHEXT",
  "PROCESSOR_ARCHITECTURE",
  "PROGRAMDATA",
  "PROGRAMFILES",
  "SYSTEMDRIVE",
  "SYSTEMROOT",
  "TEMP",
  "TMP",
  "USERNAME",
  "USERPROFILE",
  "WINDIR",
];

type ProcessEnvironment = Readonly<Record<string, string | undefined>>;

/** Passes basic variables and those the operator names, so that no other keys or tokens are inherited. */
export const childEnvironment = (
  own: Readonly<Record<string, string>>,
  inherit: readonly string[],
  ours: ProcessEnvironment = process.env,
  platform: NodeJS.Platform = process.platform,
): Record<string, string> => {
  const environment: Record<string, string> = {};
  for (const name of [...(platform === "win32" ? windowsVariables : posixVariables), ...inherit]) {
    const value = ours[name];
    // Old shells execute such values (Shellshock).
    if (value !== undefined && !value.startsWith("()")) environment[name] = value;
  }
  return { ...environment, ...own };
};

const startCommandOf = async (
  server: StdioServer & Pick<NamedMcpServer, "id">,
  env: Readonly<Record<string, string>>,
): Promise<Pick<StdioClientOptions, "command" | "args" | "env" | "cwd">> => {
  const { command, args = [], cwd, sandbox } = server;
  if (sandbox === undefined) return { command, args, env, cwd };
  const { createSandboxedStart: sandboxedStart, normalizeSandbox: sandboxOf } = await import(
    "../../transport/stdio/sandboxed-start.ts"
  );
  return sandboxedStart(server, sandboxOf(sandbox), env);
};
