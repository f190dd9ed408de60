import * as Effect from "effect/Effect";
import { hashInput } from "../base/json/canonical-json.ts";
import { readJson } from "../base/json/read-json.ts";
import { collectConversationTaints } from "../policy/taint.ts";
import { isModelKey } from "../types/call.ts";
import type { LedgerError } from "../types/errors.ts";
import type { LedgerEntry, LedgerStore } from "../types/ledger.ts";
import { addUnknownCall, callFingerprint, callTextFingerprint, RunRecorder } from "./recorder.ts";

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
    for (const entry of entries) {
      if (entry.settlement !== undefined) continue;
      const { tool, attempts = [] } = entry;
      for (const { ending, inputHash } of attempts) {
        if (ending === "unknown") addUnknownCall(counters, callFingerprint(tool, inputHash));
      }
      if (entry.ending !== "unknown") continue;
      addUnknownCall(counters, callTextFingerprint(tool, entry.inputHash));
      const record = yield* ledger.recall?.(entry.entryId) ?? Effect.succeed(undefined);
      const reading = record?.input === undefined ? undefined : readJson(record.input);
      if (reading?.ok === true) addUnknownCall(counters, callFingerprint(tool, hashInput(reading.value)));
    }
    return counters;
  });
