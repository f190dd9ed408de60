import * as Effect from "effect/Effect";
import { LedgerError } from "../../../types/errors.ts";
import type { RunStep, RunStore } from "../../../types/run-store.ts";
import { createBatcher } from "../../create-batcher.ts";
import { lostLeaseRunId } from "../../ledger-errors.ts";
import type { DurableStore } from "../durable-store.ts";
import { fromPromise } from "../from-promise.ts";
import type { Operation } from "../group-writer.ts";
import type { OwnerPresence } from "../leases/owner-presence.ts";
import { cancelStoredRun } from "./cancel-run.ts";
import { findStoredRuns } from "./find-runs.ts";
import { listStoredRuns } from "./run-row.ts";
import { addRunStep, addRunStepDeferred, amendRun, beginRun, claimStoredRun, endRun } from "./write-runs.ts";

/** Limits how many conversations are in memory at once. */
const maxRunsPerRead = 32;

/** Reads recover dead owners first, so that their runs can be claimed. */
export const createRunStore = (
  store: DurableStore,
  { recover, dead }: Pick<OwnerPresence, "recover" | "dead">,
): RunStore => {
  const { database, held: heldLeases } = store;
  const afterRecovery = <A>(ask: () => Promise<A>) => fromPromise(() => recover("if due").then(ask));
  const findBatched = createBatcher(maxRunsPerRead, (runIds: readonly string[]) =>
    database.read(() => findStoredRuns(store, runIds, dead())),
  );
  return {
    begin: (start) =>
      Effect.map(
        store.writer.write(() => beginRun(store, start)),
        (epoch) => {
          if (start.queued === undefined) heldLeases.hold(start.runId, epoch);
          return epoch;
        },
      ),
    add: (step) =>
      step.isSoon === true
        ? writeStepDeferred(store, step, () => addRunStepDeferred(store, step))
        : writeUnderLease(store, step, () => addRunStep(store, step)),
    amend: (amendment) => writeUnderLease(store, amendment, () => amendRun(store, amendment)),
    end: (end) =>
      Effect.map(
        writeUnderLease(store, end, () => endRun(store, end)),
        () => heldLeases.release(end.runId, end.epoch),
      ),
    cancel: (runId, by, at) =>
      Effect.map(
        store.writer.write(() => cancelStoredRun(store, runId, by, at)),
        (answer) => {
          if (answer === "given-up") heldLeases.lose(runId, Number.POSITIVE_INFINITY);
          return answer;
        },
      ),
    watch: heldLeases.watch,
    find: (runId) =>
      afterRecovery(async () => {
        const found = await findBatched(runId);
        if (found instanceof LedgerError) throw found;
        return found;
      }),
    list: (query = {}) => afterRecovery(() => database.read(() => listStoredRuns(query, dead()))),
    claim: (runId, at) => {
      const claim = Effect.map(
        store.writer.write(() => claimStoredRun(store, runId, at)),
        (epoch) => {
          if (epoch !== undefined) heldLeases.hold(runId, epoch);
          return epoch;
        },
      );
      // Recovery is needed only if another owner holds the run.
      return Effect.flatMap(claim, (epoch) =>
        epoch === undefined
          ? Effect.andThen(
              fromPromise(() => recover("now")),
              claim,
            )
          : Effect.succeed(epoch),
      );
    },
  };
};

export const writeUnderLease = <A>(
  { writer, held }: DurableStore,
  { epoch }: { readonly epoch?: number | undefined },
  make: () => Operation<A>,
): Effect.Effect<A, LedgerError> =>
  epoch === undefined
    ? writer.write(make)
    : Effect.tapError(writer.write(make), (error) =>
        Effect.sync(() => {
          const runId = lostLeaseRunId(error);
          if (runId !== undefined) held.lose(runId, epoch);
        }),
      );

/** A failure is reported to the run's next write. */
const writeStepDeferred = (
  { writer, held }: DurableStore,
  { runId, epoch }: Pick<RunStep, "runId" | "epoch">,
  make: () => Operation<void>,
): Effect.Effect<void> =>
  Effect.sync(() =>
    writer.writeSoon(make, (error) => {
      held.miss(runId, epoch, error);
      if (lostLeaseRunId(error) !== undefined) held.lose(runId, epoch);
    }),
  );
