import * as Effect from "effect/Effect";
import type { Haft } from "../runtime/haft.ts";
import { sharedBy } from "../runtime/shared.ts";
import type { HostHealth, HostProblem } from "./host-options.ts";

/** A ledger that takes longer to be read is as good as none. */
const ledgerMs = 2_000;
/** Anybody may ask, so the ledger is asked no more often. */
const keptMs = 1_000;

/** Of the runtime that is served now: whether its ledger can be read, and which of its servers are there. */
export const runtimeHealth = (
  runtime: () => Haft,
  now: () => number = Date.now,
): (() => Promise<HostHealth>) => {
  let asked: { readonly haft: Haft; readonly at: number; readonly health: Promise<HostHealth> } | undefined;
  return () => {
    const haft = runtime();
    if (asked === undefined || asked.haft !== haft || now() - asked.at > keptMs)
      asked = { haft, at: now(), health: look(haft) };
    return asked.health;
  };
};

const look = async (haft: Haft): Promise<HostHealth> => {
  const servers = haft.mcp.list().map(({ id, status }) => ({ id, status }));
  const absent = servers.filter(({ status }) => status !== "connected").map(absence);
  const ledger = await ledgerProblem(haft);
  const problems = ledger === undefined ? absent : [ledger, ...absent];
  const status = ledger !== undefined ? "failing" : absent.length > 0 ? "degraded" : "ok";
  return { status, servers, problems };
};

const absence = ({ id, status }: { readonly id: string; readonly status: string }): HostProblem => ({
  part: "servers",
  message: `The server "${id}" is ${status}, so its tools cannot be called. What haft serve wrote to standard error says why.`,
});

/** The cause may hold an address or a name of a user, so it goes where errors go and not to whoever asks. */
const ledgerProblem = async (haft: Haft): Promise<HostProblem | undefined> => {
  const read = sharedBy.get(haft)!.ledger.entries({ limit: 1 });
  const isRead = Effect.match(Effect.timeout(read, ledgerMs), {
    onSuccess: () => true,
    onFailure: () => false,
  });
  if (await Effect.runPromise(isRead).catch(() => false)) return undefined;
  const message =
    "The ledger cannot be read, so calls that write are refused. Check that its file or database is there: haft log shows the error.";
  return { part: "ledger", message };
};
