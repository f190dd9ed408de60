import * as Effect from "effect/Effect";
import type { LedgerError } from "../../../words/errors.ts";
import type { RunBook } from "../../../words/run-book.ts";
import { lostRunOf } from "../../refusals.ts";
import { asking } from "../asking.ts";
import type { OwnerPresence } from "../owners/presence.ts";
import type { Store } from "../store.ts";
import type { Operation } from "../writer.ts";
import { givingUp } from "./give-up.ts";
import { finding, listing } from "./run-row.ts";
import { adding, amending, beginning, claiming, ending } from "./write-runs.ts";

/** What the dead held is freed first, so that it can be claimed at once. */
export const runBook = (
  store: Store,
  { recover, dead }: Pick<OwnerPresence, "recover" | "dead">,
): RunBook => {
  const { database, held } = store;
  const afterRecovery = <A>(ask: () => Promise<A>) => asking(() => recover("if due").then(ask));
  return {
    begin: (start) =>
      Effect.map(
        store.writer.write(() => beginning(store, start)),
        (epoch) => {
          if (start.queued === undefined) held.hold(start.runId, epoch);
          return epoch;
        },
      ),
    add: (step) => writeClaimed(store, step, () => adding(store, step)),
    amend: (amendment) => writeClaimed(store, amendment, () => amending(store, amendment)),
    end: (end) =>
      Effect.map(
        writeClaimed(store, end, () => ending(store, end)),
        () => held.release(end.runId, end.epoch),
      ),
    giveUp: (runId, by, at) =>
      Effect.map(
        store.writer.write(() => givingUp(store, runId, by, at)),
        (answer) => {
          if (answer === "given-up") held.lose(runId, Number.POSITIVE_INFINITY);
          return answer;
        },
      ),
    watch: held.watch,
    find: (runId) => afterRecovery(() => database.read(() => finding(store, runId, dead()))),
    list: (query = {}) => afterRecovery(() => database.read(() => listing(query, dead()))),
    claim: (runId, at) => {
      const claim = Effect.map(
        store.writer.write(() => claiming(store, runId, at)),
        (epoch) => {
          if (epoch !== undefined) held.hold(runId, epoch);
          return epoch;
        },
      );
      // Only where somebody has it, it matters whether that one lives.
      return Effect.flatMap(claim, (epoch) =>
        epoch === undefined
          ? Effect.andThen(
              asking(() => recover("now")),
              claim,
            )
          : Effect.succeed(epoch),
      );
    },
  };
};

/** Writes for a run, if it is for one: whoever watches the claim hears when it was refused. */
export const writeClaimed = <A>(
  { writer, held }: Store,
  { epoch }: { readonly epoch?: number | undefined },
  make: () => Operation<A>,
): Effect.Effect<A, LedgerError> =>
  epoch === undefined
    ? writer.write(make)
    : Effect.tapError(writer.write(make), (error) =>
        Effect.sync(() => {
          const runId = lostRunOf(error);
          if (runId !== undefined) held.lose(runId, epoch);
        }),
      );
