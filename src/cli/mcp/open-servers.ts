import { openWith, runtimeOptionsOf } from "../open-runtime.ts";
import type { OpenServers } from "./list-servers.ts";

/** A runtime that lives only as long as the question. */
export const openServers: OpenServers = async (servers, terminal, { config }) => {
  const given = config === undefined ? {} : { config };
  const options = await runtimeOptionsOf(given, terminal, {
    ledger: "memory",
    asks: false,
    builtIns: false,
  });
  await using opened = await openWith({ ...options, mcp: { ...options.mcp, servers } });
  return opened.haft.mcp.list();
};
