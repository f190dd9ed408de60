import * as Effect from "effect/Effect";
import type { DurableLedger } from "../../../src/types/durable-ledger.ts";
import type { LedgerError } from "../../../src/types/errors.ts";
import type { LedgerStore } from "../../../src/types/ledger.ts";
import { heldMark } from "./script.ts";
import { type Actor, readSightings, witness } from "./witness.ts";

/**
 * Wraps a ledger to report the takeover of `b`, and the reply to each write of `a` from the held call on.
 * There `a` has nothing to write unless it returns, so each such write is stale.
 */
export const observed = (
  ledger: DurableLedger,
  actor: Actor,
  folder: string,
  onTaken: () => void,
): LedgerStore => {
  const { runs } = ledger;
  const taken = (how: "claimed" | "given-up") =>
    Effect.sync(() => {
      witness(folder, { kind: "taken", by: actor, how });
      onTaken();
    });
  const seen = <Given, A>(what: string, write: (given: Given) => Effect.Effect<A, LedgerError>) =>
    actor === "b"
      ? write
      : (given: Given) =>
          write(given).pipe(
            Effect.tap(() => Effect.sync(() => see(folder, what))),
            Effect.tapError((error) => Effect.sync(() => see(folder, what, error.code))),
          );
  return {
    ...ledger,
    open: seen("open", ledger.open),
    close: seen("close", ledger.close),
    intend: seen("intend", ledger.intend!),
    runs: {
      ...runs,
      add: seen("add", runs.add),
      amend: seen("amend", runs.amend),
      end: seen("end", runs.end),
      claim: (runId, at) =>
        Effect.tap(runs.claim(runId, at), (epoch) => (epoch === undefined ? Effect.void : taken("claimed"))),
      cancel: (runId, by, at) =>
        Effect.tap(runs.cancel(runId, by, at), (answer) =>
          answer === "given-up" ? taken("given-up") : Effect.void,
        ),
    },
  };
};

let isInside = false;

const see = (folder: string, what: string, refusedWith?: string): void => {
  isInside ||= readSightings(folder).some((one) => one.kind === "effect" && one.mark === heldMark);
  if (!isInside) return;
  witness(folder, { kind: "write", by: "a", what, ...(refusedWith === undefined ? {} : { refusedWith }) });
};
