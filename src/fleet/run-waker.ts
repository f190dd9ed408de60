import * as Effect from "effect/Effect";
import * as Layer from "effect/Layer";
import { openOnce } from "../base/credentials/open-once.ts";
import { RunWaker } from "../types/run-store.ts";
import { openQueue, type QueueOptions } from "./open-queue.ts";
import { openRunJobs } from "./run-jobs.ts";

/** Wakes runs whose approvals are answered in this process. */
export const runWakerLayer = (options: Pick<QueueOptions, "url" | "schema">): Layer.Layer<never> =>
  Layer.effect(
    RunWaker,
    Effect.gen(function* () {
      let closing: (() => Promise<void>) | undefined;
      const opened = openOnce(async () => {
        const waker = await openWakerConnection(options);
        closing = waker.queue.close;
        return waker;
      });
      const waking = new Set<Promise<void>>();
      yield* Effect.addFinalizer(() =>
        Effect.promise(async () => {
          await Promise.all(waking);
          await closing?.();
        }),
      );
      return (runId) => {
        const woken: Promise<void> = opened()
          .then((waker) => wakeParkedRun(waker, runId))
          // A worker's sweep finds the run.
          .catch(noop)
          .finally(() => waking.delete(woken));
        waking.add(woken);
      };
    }),
  );

type WakerConnection = Awaited<ReturnType<typeof openWakerConnection>>;

const openWakerConnection = async (options: Pick<QueueOptions, "url" | "schema">) => {
  const queue = await openQueue({ ...options, connections: 1, makesTables: false });
  try {
    return { queue, jobs: await openRunJobs(queue, { shares: {} }) };
  } catch (error) {
    await queue.close();
    throw error;
  }
};

export const wakeParkedRun = async ({ queue, jobs }: WakerConnection, runId: string): Promise<void> => {
  const parked = await queue.sql(
    "SELECT 1 FROM haft_runs WHERE run_id = $1 AND status = 'pending' AND owner IS NULL",
    [runId],
  );
  if (parked.length > 0) await jobs.wake(runId);
};

const noop = (): void => {};
