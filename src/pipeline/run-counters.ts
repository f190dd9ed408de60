import * as Effect from "effect/Effect";
import { hashInput } from "../base/json/canonical-json.ts";
import { readJson } from "../base/json/read-json.ts";
import { collectConversationTaints } from "../policy/taint.ts";
import { isModelKey, type RunCounters } from "../types/call.ts";
import type { LedgerError } from "../types/errors.ts";
import type { LedgerEntry, LedgerStore } from "../types/ledger.ts";
import type { RunPlan } from "../types/lineage.ts";
import type { CallerIdentity } from "../types/principal.ts";
import { isEntryOfCaller } from "./is-entry-of-caller.ts";
import {
  addUnknownCall,
  callFingerprint,
  callTextFingerprint,
  leaveRunPlan,
  RunRecorder,
  recordRunPlan,
  recordRunText,
} from "./recorder.ts";
import { textsOfMessages } from "./texts-of-messages.ts";

export interface RunCountersOptions {
  readonly taints?: readonly string[] | undefined;
  /** Calls that this process resumes individually; other open calls of the run count as started. */
  readonly resumed?: ReadonlySet<string> | undefined;
}

export const loadRunCounters = (
  ledger: LedgerStore,
  runId: string,
  { taints: more = [], resumed }: RunCountersOptions = {},
): Effect.Effect<RunRecorder, LedgerError> =>
  Effect.gen(function* () {
    const run = ledger.runs === undefined ? undefined : yield* ledger.runs.find(runId);
    const entries = yield* ledger.entries({ runId });
    const isRunningElsewhere = ({ ending, entryId }: LedgerEntry): boolean =>
      resumed !== undefined && ending === "open" && !resumed.has(entryId);
    const calls = entries.filter(
      (entry) => !isModelKey(entry.tool) && (entry.ran === true || isRunningElsewhere(entry)),
    ).length;
    const cost = entries.reduce((sum, entry) => sum + (entry.cost ?? 0), 0);
    const read = entries.flatMap(({ taints = [] }) => taints);
    const counters = new RunRecorder({
      calls,
      cost,
      taints: [...more, ...collectConversationTaints(run?.messages ?? []), ...read],
    });
    const given = run?.given ?? 0;
    // Results of the run itself have taints if they are untrusted; those of a given context may lack them.
    const texts = textsOfMessages(run?.messages ?? [], { given, isSource: (_, index) => index < given });
    for (const text of texts) recordRunText(counters, text);
    yield* restorePlan(ledger, entries, counters);
    for (const entry of entries) yield* addEntry(ledger, counters, entry, entry.tool);
    return counters;
  });

const approvalCodes: ReadonlySet<string> = new Set(["approval_required", "approval_denied"]);

/** The newest plan counts. A call of another tool that required approval has left it. */
const restorePlan = (
  ledger: LedgerStore,
  entries: readonly LedgerEntry[],
  counters: RunRecorder,
): Effect.Effect<void, LedgerError> =>
  Effect.gen(function* () {
    const ordered = [...entries].sort((one, other) => one.at - other.at);
    const index = ordered.findLastIndex(({ tool }) => tool === "run:plan");
    if (index < 0) return;
    const { entryId, input } = ordered[index]!;
    const record = yield* ledger.recall?.(entryId) ?? Effect.succeed(undefined);
    const reading = readJson(record?.input ?? input);
    if (reading.ok) recordRunPlan(counters, reading.value as RunPlan);
    const planned = new Set(counters.lineage.plan?.uses.map(({ tool }) => tool));
    const hasLeft = ordered
      .slice(index + 1)
      .some(
        ({ tool, ending, code = "" }) =>
          !planned.has(tool) && (ending === "pending" || approvalCodes.has(code)),
      );
    if (hasLeft) leaveRunPlan(counters);
  });

const addEntry = (
  ledger: LedgerStore,
  counters: RunCounters,
  { entryId, ending, inputHash, settlement, attempts = [] }: LedgerEntry,
  tool: string,
): Effect.Effect<void, LedgerError> =>
  Effect.gen(function* () {
    if (settlement?.tookEffect === false) return;
    for (const attempt of attempts) {
      if (attempt.ending === "unknown" || settlement !== undefined)
        addUnknownCall(counters, callFingerprint(tool, attempt.inputHash), entryId);
    }
    if (ending !== "unknown" && settlement === undefined) return;
    addUnknownCall(counters, callTextFingerprint(tool, inputHash), entryId);
    const record = yield* ledger.recall?.(entryId) ?? Effect.succeed(undefined);
    const reading = record?.input === undefined ? undefined : readJson(record.input);
    if (reading?.ok === true)
      addUnknownCall(counters, callFingerprint(tool, hashInput(reading.value)), entryId);
  });

export interface EarlierCallsQuery {
  /** Full name of the tool. */
  readonly tool: string;
  readonly caller: CallerIdentity;
  readonly since: number;
}

const maxEarlierCalls = 1_000;
/** Older calls are compared by their exact text only, without another query. */
const maxRecalledCalls = 50;

/** Adds calls of the caller's other runs that may have taken effect, so that their repeat requires approval. */
export const addEarlierCalls = (
  ledger: LedgerStore,
  counters: RunCounters,
  { tool, caller, since }: EarlierCallsQuery,
): Effect.Effect<void, LedgerError> =>
  Effect.gen(function* () {
    const query = { tool, agent: caller.agent, since, mayHaveTakenEffect: true };
    const entries = yield* ledger.entries({ ...query, limit: maxEarlierCalls });
    const own = entries.filter(
      (entry) =>
        (entry.ending === "unknown" || entry.settlement?.tookEffect === true) &&
        isEntryOfCaller(caller, entry),
    );
    const older = own.slice(0, -maxRecalledCalls);
    for (const { entryId, inputHash } of older)
      addUnknownCall(counters, callTextFingerprint(tool, inputHash), entryId);
    for (const entry of own.slice(older.length)) yield* addEntry(ledger, counters, entry, tool);
  });
