import * as Effect from "effect/Effect";
import { hashInput } from "../json/hash-input.ts";
import { readJson } from "../json/read-json.ts";
import type { RawCall } from "../words/call.ts";
import type { LedgerError } from "../words/errors.ts";
import type { LedgerStore } from "../words/ledger.ts";
import type { Message } from "../words/message.ts";
import { sameCall, sameText } from "./3-authorize/repeats-unknown.ts";
import { isModelQuestion } from "./execute.ts";
import { addUnknown, RunRecorder } from "./recorder.ts";

/** Every tool whose untrusted words are in a conversation. */
export const taintsIn = (messages: readonly Message[]): readonly string[] =>
  messages.flatMap((message) => {
    if (message.role === "assistant") return taintsOfProvider(message.calls ?? []);
    return message.role === "tool" ? (message.taints ?? []) : [];
  });

/** Tools that the model's provider ran itself: what they said came from anywhere. Its search of the agent's tools says nothing else. */
export const taintsOfProvider = (calls: readonly RawCall[]): readonly string[] =>
  calls.flatMap(({ tool, providerExecuted }) =>
    providerExecuted === true && !searchOfTools.test(tool) ? [tool] : [],
  );

const searchOfTools = /^tool_search/;

/** What a run had come to when it was left, as far as the ledger knows. */
export const loadRunTally = (
  ledger: LedgerStore,
  runId: string,
  more: readonly string[] = [],
): Effect.Effect<RunRecorder, LedgerError> =>
  Effect.gen(function* () {
    const run = ledger.runs === undefined ? undefined : yield* ledger.runs.find(runId);
    const entries = yield* ledger.entries({ runId });
    const calls = entries.filter(({ tool, ran }) => ran === true && !isModelQuestion(tool)).length;
    const cost = entries.reduce((sum, entry) => sum + (entry.cost ?? 0), 0);
    const read = entries.flatMap(({ taints = [] }) => taints);
    const tally = new RunRecorder({
      calls,
      cost,
      taints: [...more, ...taintsIn(run?.messages ?? []), ...read],
    });
    for (const entry of entries) {
      const { tool, attempts = [] } = entry;
      for (const { ending, inputHash } of attempts) {
        if (ending === "unknown") addUnknown(tally, sameCall(tool, inputHash));
      }
      if (entry.ending !== "unknown") continue;
      addUnknown(tally, sameText(tool, entry.inputHash));
      const kept = yield* ledger.recall?.(entry.entryId) ?? Effect.succeed(undefined);
      const reading = kept?.input === undefined ? undefined : readJson(kept.input);
      if (reading?.ok === true) addUnknown(tally, sameCall(tool, hashInput(reading.value)));
    }
    return tally;
  });
