import { resolve } from "node:path";
import { type DiscoverOptions, discover } from "../../mcp/discovery/discover.ts";
import type { DiscoveredServer } from "../../mcp/discovery/discovered-server.ts";
import type { Option, Terminal } from "../command.ts";

export const projectOption = {
  type: "string",
  value: "FOLDER",
  about: "project folder to search; default: the current folder",
} as const satisfies Option;

export const toDiscoverOptions = (
  given: { readonly project?: string },
  { env }: Terminal,
): DiscoverOptions & { readonly cwd: string } => {
  const home = env.HOME || env.USERPROFILE;
  return { cwd: resolve(given.project ?? "."), env, ...(home === undefined || home === "" ? {} : { home }) };
};

export const discoverServers = (
  given: { readonly project?: string },
  terminal: Terminal,
): Promise<readonly DiscoveredServer[]> => discover(toDiscoverOptions(given, terminal));
