import { listCurrentApprovals } from "../../../pipeline/pending/earlier-call-note.ts";
import type { LedgerEntry } from "../../../types/ledger.ts";
import { toApproval } from "../approvals/to-approval.ts";
import { toCallListItem } from "../calls/list-calls.ts";
import { toRunListItem } from "../runs/show-run.ts";
import type { Approval } from "../schemas/approvals.ts";
import type { LiveMessage } from "../schemas/live.ts";
import type { RunListItem } from "../schemas/runs.ts";
import type { Server } from "../schemas/servers.ts";
import { openedMcpServices, toServer } from "../servers/show-servers.ts";
import { runLedger, type StudioServices } from "../studio-services.ts";
import { type LedgerChanges, positionToEventId } from "./ledger-changes.ts";

const maxItemsPerMessage = 50;
const maxRunsRead = 200;
const maxLogLinesSent = 20;

export const toLiveMessage = async (
  studio: StudioServices,
  changes: LedgerChanges,
  serverIds: ReadonlySet<string>,
): Promise<LiveMessage> => {
  const { started, ended, failed, entryIds, runIds, approvalRunIds, position, hasMissedChanges } = changes;
  const [calls, approvals, runs, servers] = await Promise.all([
    readEntries(studio, entryIds.slice(0, maxItemsPerMessage)),
    readApprovals(studio, approvalRunIds.slice(0, maxItemsPerMessage)),
    readRuns(studio, runIds.slice(0, maxItemsPerMessage)),
    readServers(studio, serverIds),
  ]);
  return {
    id: positionToEventId(position),
    at: studio.now(),
    counts: { started, ended, failed },
    calls: calls.map(toCallListItem),
    hasMoreCalls: hasMissedChanges || entryIds.length > maxItemsPerMessage,
    approvals,
    runs,
    servers,
    ...(hasMissedChanges ? { hasMissedChanges: true as const } : {}),
  };
};

const readEntries = async (
  { ledger }: StudioServices,
  ids: readonly string[],
): Promise<readonly LedgerEntry[]> =>
  (await Promise.all(ids.map((entryId) => runLedger(ledger.entries({ entryId }))))).flat();

const readApprovals = async (
  studio: StudioServices,
  runIds: readonly string[],
): Promise<readonly Approval[]> => {
  const approvals = await Promise.all(
    runIds.map((runId) => runLedger(listCurrentApprovals(studio.ledger, { runId }))),
  );
  return approvals
    .flat()
    .slice(-maxRunsRead)
    .map((record) => toApproval(studio, record));
};

const readRuns = async (
  { ledger }: StudioServices,
  runIds: readonly string[],
): Promise<readonly RunListItem[]> => {
  if (runIds.length === 0) return [];
  const newest = await runLedger(ledger.runs.list({ limit: maxRunsRead }));
  return newest.filter(({ runId }) => runIds.includes(runId)).map(toRunListItem);
};

const readServers = async (studio: StudioServices, ids: ReadonlySet<string>): Promise<readonly Server[]> => {
  if (ids.size === 0) return [];
  const services = await openedMcpServices(studio);
  return studio.shared.mcp
    .list()
    .filter(({ id }) => ids.has(id))
    .map((state) => toServer(studio, state, services))
    .map((server) => ({ ...server, log: server.log.slice(-maxLogLinesSent) }));
};
