import { maskedCommandText, maskedUrlText } from "../../mcp/discovery/discovered-server.ts";
import { readServersFile } from "../../mcp/discovery/servers-file.ts";
import { isStdioServer, type MaybeSecret, type McpServer, type StdioServer } from "../../types/mcp.ts";
import type { Option, Terminal } from "../command.ts";
import {
  configOption,
  configurationFile,
  projectFile,
  readConfiguration,
  readDataConfiguration,
  requireTrustedProject,
  serversFile,
} from "../read-configuration.ts";
import { createTrust, type TrustFlags, trustOption } from "../trust/trust.ts";

export const fileOption = {
  type: "string",
  value: "FILE",
  about: `where servers are added (${serversFile})`,
} as const satisfies Option;

export const configuredOptions = { file: fileOption, config: configOption, trust: trustOption } as const;

export interface ServerFileFlags extends TrustFlags {
  readonly file?: string;
  readonly config?: string;
}

export interface ConfiguredServer {
  readonly id: string;
  readonly server: McpServer;
  readonly file: string;
}

/** With `data`, code of an untrusted folder is skipped instead of refused. */
export const configuredServers = async (
  flags: ServerFileFlags,
  terminal: Terminal,
  access: "run" | "data",
): Promise<readonly ConfiguredServer[]> => {
  const file = flags.file ?? projectFile(flags.config, serversFile);
  const trust = createTrust(flags, terminal);
  if (access === "run") await requireTrustedProject(flags.config, trust);
  const { mcp } = await (access === "run"
    ? readConfiguration(flags.config, trust)
    : readDataConfiguration(flags.config, trust, terminal));
  const own = Object.entries(mcp?.servers ?? {});
  const added = Object.entries(await readServersFile(file));
  const config = configurationFile(flags.config) ?? "";
  return [
    ...added
      .filter(([id]) => !own.some(([each]) => each === id))
      .map(([id, server]) => ({ id, server, file })),
    ...own.map(([id, server]) => ({ id, server, file: config })),
  ];
};

export const serverDisplayText = (server: McpServer): string =>
  isStdioServer(server) ? maskedCommandText(server.command, server.args ?? []) : maskedUrlText(server.url);

export const serverTransport = (server: McpServer): string =>
  server.transport ?? (isStdioServer(server) ? "stdio" : /^wss?:/i.test(server.url) ? "websocket" : "http");

const secretNamesByKey = (
  values: Readonly<Record<string, MaybeSecret>>,
): Readonly<Record<string, string | null>> =>
  Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, typeof value === "string" ? null : value.secret]),
  );

/** Contains no values of secrets. */
export const describeServer = (id: string, server: McpServer) => ({
  id,
  transport: serverTransport(server),
  shown: serverDisplayText(server),
  ...(isStdioServer(server)
    ? {
        ...(server.cwd === undefined ? {} : { cwd: server.cwd }),
        env: secretNamesByKey(server.env ?? {}),
        inheritEnv: server.inheritEnv ?? [],
        ...(server.sandbox === undefined ? {} : { sandbox: server.sandbox }),
      }
    : { headers: secretNamesByKey(server.headers ?? {}) }),
  disabled: server.disabled === true,
});

export const serverLines = (server: McpServer): readonly string[] => {
  const { cwd, env, headers, shown, disabled, inheritEnv, sandbox } = describeServer(
    "",
    server,
  ) as ServerDescription;
  const listed = (names: Readonly<Record<string, string | null>> | undefined): string =>
    Object.entries(names ?? {})
      .map(([name, secret]) => (secret === null ? name : `${name} (secret ${secret})`))
      .join(", ");
  const rows: readonly (readonly [string, string])[] = [
    [isStdioServer(server) ? "starts" : "calls", shown],
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

interface ServerDescription {
  readonly shown: string;
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string | null>>;
  readonly headers?: Readonly<Record<string, string | null>>;
  readonly inheritEnv?: readonly string[];
  readonly disabled: boolean;
  readonly sandbox?: NonNullable<StdioServer["sandbox"]>;
}
