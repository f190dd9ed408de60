import { openRuntimeWith, resolveRuntimeOptions } from "../open-runtime.ts";
import { unacceptedLaunchGate } from "../trust/gate-options.ts";
import { listLaunches } from "../trust/launch.ts";
import { createTrust } from "../trust/trust.ts";
import type { OpenServers } from "./print-servers.ts";

export const openServers: OpenServers = async (servers, terminal, given) => {
  const trust = createTrust(given, terminal);
  const { skills: _, ...options } = await resolveRuntimeOptions(given, terminal, {
    ledger: "memory",
    asks: false,
    trust,
  });
  const { credentials } = options;
  await trust.requireLaunches(listLaunches({ mcp: { servers }, credentials }));
  await using opened = await openRuntimeWith({
    ...options,
    mcp: { ...options.mcp, servers, refuse: unacceptedLaunchGate(trust, credentials) },
  });
  return opened.haft.mcp.list();
};
