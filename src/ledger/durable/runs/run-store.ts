import * as Effect from "effect/Effect";
import { LedgerError } from "../../../words/errors.ts";
import type { RunBook, RunStep } from "../../../words/run-book.ts";
import { inBatches } from "../../in-batches.ts";
import { lostRunOf } from "../../refusals.ts";
import { asking } from "../asking.ts";
import type { OwnerPresence } from "../owners/presence.ts";
import type { Store } from "../store.ts";
import type { Operation } from "../writer.ts";
import { findingRuns } from "./find-runs.ts";
import { givingUp } from "./give-up.ts";
import { listing } from "./run-row.ts";
import { adding, addingSoon, amending, beginning, claiming, ending } from "./write-runs.ts";

/** Runs that are read by one question: their conversations are in memory together. */
const mostAtOnce = 32;

/** What the dead held is freed first, so that it can be claimed at once. */
export const runBook = (
  store: Store,
  { recover, dead }: Pick<OwnerPresence, "recover" | "dead">,
): RunBook => {
  const { database, held } = store;
  const afterRecovery = <A>(ask: () => Promise<A>) => asking(() => recover("if due").then(ask));
  const findTogether = inBatches(mostAtOnce, (runIds: readonly string[]) =>
    database.read(() => findingRuns(store, runIds, dead())),
  );
  return {
    begin: (start) =>
      Effect.map(
        store.writer.write(() => beginning(store, start)),
        (epoch) => {
          if (start.queued === undefined) held.hold(start.runId, epoch);
          return epoch;
        },
      ),
    add: (step) =>
      step.isSoon === true
        ? writeSoon(store, step, () => addingSoon(store, step))
        : writeClaimed(store, step, () => adding(store, step)),
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
    find: (runId) =>
      afterRecovery(async () => {
        const found = await findTogether(runId);
        if (found instanceof LedgerError) throw found;
        return found;
      }),
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

/** The same for whom nobody waits: what this run writes next hears of a failure. */
const writeSoon = (
  { writer, held }: Store,
  { runId, epoch }: Pick<RunStep, "runId" | "epoch">,
  make: () => Operation<void>,
): Effect.Effect<void> =>
  Effect.sync(() =>
    writer.writeSoon(make, (error) => {
      held.miss(runId, epoch, error);
      if (lostRunOf(error) !== undefined) held.lose(runId, epoch);
    }),
  );
