import * as Effect from "effect/Effect";
import * as Fiber from "effect/Fiber";
import { expect, it } from "vitest";
import { CallLocks, turnCancelledFailure } from "./call-locks.ts";

/** Holds the locks until it is released. */
const holder = (locks: CallLocks, ...keys: readonly string[]) => {
  const held = Promise.withResolvers<void>();
  const fiber = Effect.runFork(locks.hold(keys, undefined, () => Effect.promise(() => held.promise)));
  return { release: held.resolve, fiber };
};

const acquires = (locks: CallLocks, ...keys: readonly string[]) =>
  Effect.runPromise(locks.hold(keys, undefined, () => Effect.succeed("acquired")));

it("runs a waiting request after the lock is released", async () => {
  const locks = new CallLocks();
  const order: string[] = [];
  const { release } = holder(locks, "a");
  const second = acquires(locks, "b", "a").then(() => order.push("second"));
  await acquires(locks, "c");
  order.push("released");
  release();
  await second;
  expect(order).toEqual(["released", "second"]);
});

it("leaves no lock behind when a waiting request is interrupted or aborted", async () => {
  const locks = new CallLocks();
  const { release } = holder(locks, "b");
  const waiting = Effect.runFork(locks.hold(["a", "b"], undefined, () => Effect.never));
  await Effect.runPromise(Fiber.interrupt(waiting));
  const abort = new AbortController();
  const aborted = Effect.runPromise(
    Effect.flip(locks.hold(["a", "b"], abort.signal, () => Effect.succeed("acquired"))),
  );
  abort.abort();
  expect(await aborted).toBe(turnCancelledFailure);
  release();
  expect(await acquires(locks, "a", "b")).toBe("acquired");
});

it("releases a lock when its request is interrupted", async () => {
  const locks = new CallLocks();
  const { fiber } = holder(locks, "a");
  await Effect.runPromise(Fiber.interrupt(fiber));
  expect(await acquires(locks, "a")).toBe("acquired");
});
