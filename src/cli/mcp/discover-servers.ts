import { resolve } from "node:path";
import { type DiscoverOptions, discover } from "../../mcp/discover/discover.ts";
import type { FoundServer } from "../../mcp/discover/found-server.ts";
import type { Option, Terminal } from "../command.ts";

export const projectOption = {
  type: "string",
  value: "FOLDER",
  about: "where to look for the files of a project; here unless given",
} as const satisfies Option;

/** The machine as a command sees it. */
export const machineOf = (
  given: { readonly project?: string },
  { env }: Terminal,
): DiscoverOptions & { readonly cwd: string } => {
  const home = env.HOME || env.USERPROFILE;
  return { cwd: resolve(given.project ?? "."), env, ...(home === undefined || home === "" ? {} : { home }) };
};

export const lookAround = (
  given: { readonly project?: string },
  terminal: Terminal,
): Promise<readonly FoundServer[]> => discover(machineOf(given, terminal));
