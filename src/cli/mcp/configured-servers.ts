import { readServersFile } from "../../mcp/discover/servers-file.ts";
import type { McpServer } from "../../words/mcp.ts";
import type { Option } from "../command.ts";
import {
  configOption,
  configurationFile,
  projectFile,
  readConfiguration,
  serversFile,
} from "../read-configuration.ts";

export const fileOption = {
  type: "string",
  value: "FILE",
  about: `where servers are added (${serversFile})`,
} as const satisfies Option;

export const configuredOptions = { file: fileOption, config: configOption } as const;

export interface GivenFiles {
  readonly file?: string;
  readonly config?: string;
}

/** A server that this project uses, and the file that says so. */
export interface ConfiguredServer {
  readonly id: string;
  readonly server: McpServer;
  readonly file: string;
}

/** Both files, in their order. What the configuration says of an id counts, as it does when a runtime is opened. */
export const configuredServers = async (given: GivenFiles): Promise<readonly ConfiguredServer[]> => {
  const file = given.file ?? projectFile(given.config, serversFile);
  const { mcp } = await readConfiguration(given.config);
  const own = Object.entries(mcp?.servers ?? {});
  const added = Object.entries(await readServersFile(file));
  const config = configurationFile(given.config) ?? "";
  return [
    ...added
      .filter(([id]) => !own.some(([each]) => each === id))
      .map(([id, server]) => ({ id, server, file })),
    ...own.map(([id, server]) => ({ id, server, file: config })),
  ];
};
