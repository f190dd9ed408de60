import {
  isStdio,
  type MaybeSecret,
  type NamedServer,
  type SessionServices,
  type StdioServer,
} from "../../../../words/mcp.ts";
import { childEnvironment } from "../../transport/stdio/child-environment.ts";
import { type StdioClientOptions, StdioClientWire } from "../../transport/stdio/stdio-client.ts";
import type { Wire } from "../../transport/wire.ts";

/** A server whose secrets are known, so that it can be connected as often as it takes. */
export interface WireOpening {
  readonly open: () => Wire;
  readonly isHttp: boolean;
  readonly isOld: boolean;
  /** The old transport, for a server that does not know the new one. */
  readonly openOld?: () => Wire;
  readonly mask: (text: string) => string;
}

type Revealed = Record<string, string>;

const revealAll = async (
  entries: Readonly<Record<string, MaybeSecret>> | undefined,
  services: SessionServices,
  secrets: Set<string>,
  areAllSecret: boolean,
): Promise<Revealed> => {
  const values: Revealed = {};
  for (const [name, entry] of Object.entries(entries ?? {})) {
    const value = await services.reveal(entry);
    values[name] = value;
    if (!areAllSecret && typeof entry === "string") continue;
    // A token is recognized without the word before it too.
    for (const part of [value, value.replace(/^\S+\s+/, "")]) if (part.length >= 6) secrets.add(part);
  }
  return values;
};

const masking = (secrets: ReadonlySet<string>) => {
  const longestFirst = [...secrets].sort((a, b) => b.length - a.length);
  return (text: string): string => {
    let masked = text;
    for (const secret of longestFirst) masked = masked.replaceAll(secret, "[secret]");
    return masked;
  };
};

export const prepareWire = async (server: NamedServer, services: SessionServices): Promise<WireOpening> => {
  const secrets = new Set<string>();
  if (isStdio(server)) {
    const own = await revealAll(server.env, services, secrets, false);
    const mask = masking(secrets);
    const env = childEnvironment(own, server.inheritEnv ?? []);
    const { onStderr } = services;
    const start = await startOf(server, env);
    const open = () =>
      new StdioClientWire({
        ...start,
        maxMessageBytes: server.maxMessageBytes,
        ...(onStderr === undefined ? {} : { onStderr: (line: string) => onStderr(mask(line)) }),
      });
    return { open, isHttp: false, isOld: false, mask };
  }
  const headers = await revealAll(server.headers, services, secrets, true);
  const { prepareRemote } = await import("../../transport/remote.ts");
  return { ...prepareRemote(server, services, headers), mask: masking(secrets) };
};

/** Most servers run without a sandbox, and need not wait for what makes one to be loaded. */
const startOf = async (
  server: StdioServer & Pick<NamedServer, "id">,
  env: Readonly<Record<string, string>>,
): Promise<Pick<StdioClientOptions, "command" | "args" | "env" | "cwd">> => {
  const { command, args = [], cwd, sandbox } = server;
  if (sandbox === undefined) return { command, args, env, cwd };
  const { sandboxedStart, sandboxOf } = await import("../../transport/stdio/sandboxed-start.ts");
  return sandboxedStart(server, sandboxOf(sandbox), env);
};
