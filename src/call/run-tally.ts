import * as Effect from "effect/Effect";
import type { RunTally } from "../words/call.ts";
import type { LedgerError } from "../words/errors.ts";
import type { LedgerStore } from "../words/ledger.ts";
import type { Message } from "../words/message.ts";
import { addTaints, isOfModel, newTally } from "./tally.ts";

/** Every tool whose untrusted words are in a conversation. */
export const taintsIn = (messages: readonly Message[]): readonly string[] =>
  messages.flatMap((message) => (message.role === "tool" ? (message.taints ?? []) : []));

/** What a run had come to when it was left, as far as the ledger knows. */
export const tallyOf = (ledger: LedgerStore, runId: string): Effect.Effect<RunTally, LedgerError> =>
  Effect.gen(function* () {
    const run = ledger.runs === undefined ? undefined : yield* ledger.runs.find(runId);
    const tally = newTally(taintsIn(run?.messages ?? []));
    for (const { tool, ran, cost = 0, taints } of yield* ledger.entries({ runId })) {
      if (ran === true && !isOfModel(tool)) tally.calls += 1;
      tally.cost += cost;
      addTaints(tally, taints ?? []);
    }
    return tally;
  });
