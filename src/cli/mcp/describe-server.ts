import { shownCommand, shownUrl } from "../../mcp/discover/shown-command.ts";
import { isStdio, type MaybeSecret, type McpServer, type StdioServer } from "../../words/mcp.ts";

/** The command line or the address, to the letter but for secrets. */
export const shownServer = (server: McpServer): string =>
  isStdio(server) ? shownCommand(server.command, server.args ?? []) : shownUrl(server.url);

export const transportOf = (server: McpServer): string =>
  server.transport ?? (isStdio(server) ? "stdio" : /^wss?:/i.test(server.url) ? "websocket" : "http");

/** Variables or headers by name, and the secret behind each that has one. No value. */
const namesOf = (values: Readonly<Record<string, MaybeSecret>>): Readonly<Record<string, string | null>> =>
  Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, typeof value === "string" ? null : value.secret]),
  );

/** A server for a person or a program to read: everything that decides what is started, and no value of a secret. */
export const describeServer = (id: string, server: McpServer) => ({
  id,
  transport: transportOf(server),
  shown: shownServer(server),
  ...(isStdio(server)
    ? {
        ...(server.cwd === undefined ? {} : { cwd: server.cwd }),
        env: namesOf(server.env ?? {}),
        inheritEnv: server.inheritEnv ?? [],
        ...(server.sandbox === undefined ? {} : { sandbox: server.sandbox }),
      }
    : { headers: namesOf(server.headers ?? {}) }),
  disabled: server.disabled === true,
});

/** The same in lines below each other. */
export const serverLines = (server: McpServer): readonly string[] => {
  const { cwd, env, headers, shown, disabled, inheritEnv, sandbox } = describeServer("", server) as Described;
  const listed = (names: Readonly<Record<string, string | null>> | undefined): string =>
    Object.entries(names ?? {})
      .map(([name, secret]) => (secret === null ? name : `${name} (secret ${secret})`))
      .join(", ");
  const rows: readonly (readonly [string, string])[] = [
    [isStdio(server) ? "starts" : "calls", shown],
    ["in", cwd ?? ""],
    ["env", listed(env)],
    ["inherits", (inheritEnv ?? []).join(", ")],
    ["sandbox", sandbox === undefined ? "" : sandboxText(sandbox)],
    ["headers", listed(headers)],
    ["disabled", disabled ? "yes" : ""],
  ];
  return rows.filter(([, said]) => said !== "").map(([what, said]) => `  ${what.padEnd(8)}  ${said}`);
};

const sandboxText = (sandbox: NonNullable<StdioServer["sandbox"]>): string => {
  if (typeof sandbox === "string") return sandbox;
  const { engine, read = [], write = [], network } = sandbox;
  const may = [...read.map((path) => `reads ${path}`), ...write.map((path) => `writes ${path}`)];
  return [engine, ...may, ...(network === true ? ["network"] : [])].join(", ");
};

interface Described {
  readonly shown: string;
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string | null>>;
  readonly headers?: Readonly<Record<string, string | null>>;
  readonly inheritEnv?: readonly string[];
  readonly disabled: boolean;
  readonly sandbox?: NonNullable<StdioServer["sandbox"]>;
}
