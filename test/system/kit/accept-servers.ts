import { listLaunches } from "../../../src/cli/trust/launch.ts";
import { addAcceptedLaunch } from "../../../src/cli/trust/trust.ts";
import { configDirectory, openTrustStore } from "../../../src/cli/trust/trust-store.ts";
import type { McpServer } from "../../../src/types/mcp.ts";

/** Accepts servers for a gateway in this folder, as `haft trust add` does. */
export const acceptServers = async (
  folder: string,
  servers: Readonly<Record<string, McpServer>>,
): Promise<void> => {
  const store = openTrustStore(configDirectory(process.env));
  for (const launch of listLaunches({ mcp: { servers } }, folder)) await addAcceptedLaunch(store, launch, 0);
};
