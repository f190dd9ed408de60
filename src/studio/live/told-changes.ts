import type { LedgerEntry } from "../../words/ledger.ts";
import { toApproval } from "../approvals/to-approval.ts";
import { toCallLine } from "../calls/call-line.ts";
import { toRunLine } from "../runs/run-line.ts";
import { mcpOf, toServer } from "../servers/show-servers.ts";
import type { Approval } from "../words/approvals.ts";
import type { LiveMessage } from "../words/live.ts";
import type { RunLine } from "../words/runs.ts";
import type { Server } from "../words/servers.ts";
import { ask, type StudioWorld } from "../world.ts";
import { type Changes, toEventId } from "./changes.ts";

/** So many of the newest are told in one message; of the others how many there were. */
const mostTold = 50;
const mostRuns = 200;
const mostLines = 20;

/** One message about what changed, with everything as it is now. */
export const toMessage = async (
  world: StudioWorld,
  changes: Changes,
  serverIds: ReadonlySet<string>,
): Promise<LiveMessage> => {
  const { began, ended, failed, entryIds, runIds, askedIn, place, isBehind } = changes;
  const [calls, approvals, runs, servers] = await Promise.all([
    entriesOf(world, entryIds.slice(0, mostTold)),
    approvalsOf(world, askedIn.slice(0, mostTold)),
    runsOf(world, runIds.slice(0, mostTold)),
    serversOf(world, serverIds),
  ]);
  return {
    id: toEventId(place),
    at: world.now(),
    counts: { began, ended, failed },
    calls: calls.map(toCallLine),
    isCut: isBehind || entryIds.length > mostTold,
    approvals,
    runs,
    servers,
    ...(isBehind ? { isBehind: true as const } : {}),
  };
};

const entriesOf = async ({ ledger }: StudioWorld, ids: readonly string[]): Promise<readonly LedgerEntry[]> =>
  (await Promise.all(ids.map((entryId) => ask(ledger.entries({ entryId }))))).flat();

const approvalsOf = async (world: StudioWorld, runIds: readonly string[]): Promise<readonly Approval[]> => {
  const asked = await Promise.all(runIds.map((runId) => ask(world.ledger.approvals.list({ runId }))));
  return asked
    .flat()
    .slice(-mostRuns)
    .map((record) => toApproval(world, record));
};

const runsOf = async ({ ledger }: StudioWorld, runIds: readonly string[]): Promise<readonly RunLine[]> => {
  if (runIds.length === 0) return [];
  const newest = await ask(ledger.runs.list({ limit: mostRuns }));
  return newest.filter(({ runId }) => runIds.includes(runId)).map(toRunLine);
};

const serversOf = async (world: StudioWorld, ids: ReadonlySet<string>): Promise<readonly Server[]> => {
  if (ids.size === 0) return [];
  const services = await mcpOf(world);
  return world.shared.mcp
    .list()
    .filter(({ id }) => ids.has(id))
    .map((state) => toServer(world, state, services))
    .map((server) => ({ ...server, log: server.log.slice(-mostLines) }));
};
