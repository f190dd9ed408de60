import * as Effect from "effect/Effect";
import * as Layer from "effect/Layer";
import { onFirstUse } from "../credentials/on-first-use.ts";
import { RunWaker } from "../words/run-waker.ts";
import { openJobs } from "./jobs.ts";
import { openQueue, type QueueOptions } from "./queue.ts";

/** Lets answers that are given in this process wake the runs they are for. Connects with the first of them. */
export const runWakerLayer = (options: Pick<QueueOptions, "url" | "schema">): Layer.Layer<never> =>
  Layer.effect(
    RunWaker,
    Effect.gen(function* () {
      let closing: (() => Promise<void>) | undefined;
      const opened = onFirstUse(async () => {
        const waker = await openWaking(options);
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
          .then((waker) => wakeParked(waker, runId))
          // A worker's sweep finds it.
          .catch(nothing)
          .finally(() => waking.delete(woken));
        waking.add(woken);
      };
    }),
  );

type Waking = Awaited<ReturnType<typeof openWaking>>;

const openWaking = async (options: Pick<QueueOptions, "url" | "schema">) => {
  const queue = await openQueue({ ...options, connections: 1, makesTables: false });
  try {
    return { queue, jobs: await openJobs(queue, { shares: {} }) };
  } catch (error) {
    await queue.close();
    throw error;
  }
};

/** One that somebody goes on with is awake. */
export const wakeParked = async ({ queue, jobs }: Waking, runId: string): Promise<void> => {
  const parked = await queue.sql(
    "SELECT 1 FROM haft_runs WHERE run_id = $1 AND status = 'pending' AND owner IS NULL",
    [runId],
  );
  if (parked.length > 0) await jobs.wake(runId);
};

const nothing = (): void => {};
