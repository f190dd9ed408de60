import { readServersFile } from "../../mcp/discovery/servers-file.ts";
import type { McpServer } from "../../types/mcp.ts";
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
