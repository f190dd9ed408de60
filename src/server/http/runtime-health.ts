import * as Effect from "effect/Effect";
import type { Haft } from "../../runtime/haft.ts";
import { sharedRuntimes } from "../../runtime/shared-runtime.ts";
import type { McpServerState } from "../../types/mcp.ts";
import type { HostHealth, HostProblem } from "./host-options.ts";

const ledgerTimeoutMs = 2_000;
/** The endpoint is public. */
const healthCacheMs = 1_000;

export const createHealthCheck = (
  runtime: () => Haft,
  now: () => number = Date.now,
): (() => Promise<HostHealth>) => {
  let cached: { readonly haft: Haft; readonly at: number; readonly health: Promise<HostHealth> } | undefined;
  return () => {
    const haft = runtime();
    if (cached === undefined || cached.haft !== haft || now() - cached.at > healthCacheMs)
      cached = { haft, at: now(), health: readHealth(haft) };
    return cached.health;
  };
};

const readHealth = async (haft: Haft): Promise<HostHealth> => {
  const states = haft.mcp.list();
  const servers = states.map(({ id, status }) => ({ id, status }));
  const absent = states.filter(({ status }) => status !== "connected").map(serverProblem);
  const ledger = await ledgerProblem(haft);
  const problems = ledger === undefined ? absent : [ledger, ...absent];
  const status = ledger !== undefined ? "failing" : absent.length > 0 ? "degraded" : "ok";
  return { status, servers, problems };
};

const serverProblem = (state: McpServerState): HostProblem => ({
  part: "servers",
  message: serverProblemText(state),
});

/** Reasons can contain text of a server, so they are left out. */
const serverProblemText = ({ id, status, tools, quarantined }: McpServerState): string => {
  if (status !== "degraded")
    return `The server "${id}" is ${status}, so its tools cannot be called. Run haft mcp list to see why.`;
  if (quarantined.length === 0)
    return `The server "${id}" is available, but a part of its data was rejected. See the warnings on standard error.`;
  const held = countText(quarantined.length, "is", "are");
  const rest = tools.length === 0 ? "none can be called" : `the other ${tools.length} can be called`;
  return `Of the tools of the server "${id}", ${held} quarantined, and ${rest}. Run haft mcp list to see why, and haft lock --diff to see what changed.`;
};

const countText = (count: number, one: string, many: string): string =>
  `${count} ${count === 1 ? one : many}`;

/** The cause may contain addresses or user names. */
const ledgerProblem = async (haft: Haft): Promise<HostProblem | undefined> => {
  const read = sharedRuntimes.get(haft)!.ledger.entries({ limit: 1 });
  const isRead = Effect.match(Effect.timeout(read, ledgerTimeoutMs), {
    onSuccess: () => true,
    onFailure: () => false,
  });
  if (await Effect.runPromise(isRead).catch(() => false)) return undefined;
  const message =
    "The ledger cannot be read, so calls that write are refused. Check that its file or database exists. Run haft log to see the error.";
  return { part: "ledger", message };
};
