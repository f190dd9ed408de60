import { Worker } from "node:worker_threads";
import * as Effect from "effect/Effect";
import * as Fiber from "effect/Fiber";
import { afterEach, expect, it } from "vitest";
import type { SandboxError } from "../../types/errors.ts";
import { startWorker } from "./pooled-worker.ts";
import { type WorkerPoolOptions, workerPool } from "./worker-pool.ts";

const text = `require("node:worker_threads").parentPort.on("message", () => {}).postMessage("ready");`;
const open: { readonly close: Effect.Effect<void> }[] = [];
afterEach(() => Effect.runPromise(Effect.forEach(open.splice(0), ({ close }) => close)));

const scene = (options: Partial<WorkerPoolOptions> = {}, source = text) => {
  let started = 0;
  const start = startWorker("The worker", () => {
    started++;
    return new Worker(source, { eval: true, stderr: true });
  });
  const pool = workerPool("The worker", start, { most: 1, queue: 10, idleMs: 60_000, ...options });
  open.push(pool);
  return { pool, startedCount: () => started };
};

/** Work that ends when the test opens the gate. */
const gate = () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const begun = Promise.withResolvers<void>();
  const work = Effect.promise(() => {
    begun.resolve();
    return promise;
  });
  return { work, open: resolve, begun: begun.promise };
};

const refusal = (effect: Effect.Effect<unknown, SandboxError>): Promise<SandboxError> =>
  Effect.runPromise(Effect.flip(effect));

it("reuses a sound worker and ends any other", async () => {
  const { pool, startedCount } = scene();
  const threads: number[] = [];
  const use = (isSound: boolean) =>
    pool.use((pooled) =>
      Effect.sync(() => {
        threads.push(pooled.worker.threadId);
        pooled.isSound = isSound;
      }),
    );
  await Effect.runPromise(Effect.all([use(true), use(false), use(true)]));
  expect(threads[1]).toBe(threads[0]);
  expect(threads[2]).not.toBe(threads[0]);
  expect(startedCount()).toBe(2);
});

it("serves uses in order and skips an interrupted one", async () => {
  const { pool } = scene();
  const first = gate();
  const order: string[] = [];
  const busy = Effect.runFork(pool.use(() => first.work));
  await first.begun;
  const wait = (name: string) => Effect.runFork(pool.use(() => Effect.sync(() => order.push(name))));
  const [a, gone, b] = [wait("a"), wait("gone"), wait("b")];
  await Effect.runPromise(Fiber.interrupt(gone!));
  first.open();
  await Effect.runPromise(Fiber.joinAll([busy, a!, b!]));
  expect(order).toEqual(["a", "b"]);
});

it("refuses a use as retryable when the queue is full", async () => {
  const { pool } = scene({ queue: 1 });
  const first = gate();
  const busy = Effect.runFork(pool.use(() => first.work));
  await first.begun;
  const waits = Effect.runFork(pool.use(() => Effect.succeed("waited")));
  const error = await refusal(pool.use(() => Effect.void));
  expect(error.failure).toMatchObject({ code: "sandbox_failed", ran: false, retryable: true });
  first.open();
  await Effect.runPromise(Fiber.join(busy));
  expect(await Effect.runPromise(Fiber.join(waits))).toBe("waited");
});

it("frees the place of a use that is interrupted while its worker starts", async () => {
  const { pool } = scene();
  const fiber = Effect.runFork(pool.use(() => Effect.void));
  await Effect.runPromise(Fiber.interrupt(fiber));
  expect(await Effect.runPromise(pool.use(() => Effect.succeed(1)))).toBe(1);
});

it("keeps the cause from the message when a worker cannot start, and starts another for the next use", async () => {
  const { pool, startedCount } = scene({}, "throw new Error('/home/ada/secret')");
  for (const count of [1, 2]) {
    const error = await refusal(pool.use(() => Effect.void));
    expect(error.message).toBe("The worker cannot be started.");
    expect(error.failure.detail).toContain("/home/ada/secret");
    expect(startedCount()).toBe(count);
  }
});

it("ends running uses and refuses waiting and later ones when it is closed", async () => {
  const { pool } = scene();
  const first = gate();
  let exited = false;
  const busy = Effect.runFork(
    pool.use(({ worker }) => {
      worker.once("exit", () => {
        exited = true;
      });
      return first.work;
    }),
  );
  await first.begun;
  const waits = refusal(pool.use(() => Effect.void));
  await Effect.runPromise(pool.close);
  expect(exited).toBe(true);
  expect((await waits).message).toBe("The worker was closed.");
  expect((await refusal(pool.use(() => Effect.void))).message).toBe("The worker was closed.");
  first.open();
  await Effect.runPromise(Fiber.join(busy));
});

it("ends an idle worker", async () => {
  const { pool, startedCount } = scene({ idleMs: 1 });
  const gone = Promise.withResolvers<void>();
  await Effect.runPromise(
    pool.use(({ worker }) =>
      Effect.sync(() => {
        worker.once("exit", () => gone.resolve());
      }),
    ),
  );
  await gone.promise;
  await Effect.runPromise(pool.use(() => Effect.void));
  expect(startedCount()).toBe(2);
});
