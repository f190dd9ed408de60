// allow-sleep: the one place where tests poll
import { setTimeout as pause } from "node:timers/promises";

/** Only a failing test waits this long. The machine may be busy. */
const waitLimitMs = 90_000;
const intervalMs = 20;
// Tests may install fake timers.
const now = performance.now.bind(performance);

/**
 * Waits until `condition` no longer throws, and returns its value. A condition is written with `expect`:
 * `await waitFor(() => expect(events).toHaveLength(2))`. The error says what it waited for and how the last attempt failed.
 */
export const waitFor = async <Value>(condition: () => Value | Promise<Value>): Promise<Value> => {
  const deadline = now() + waitLimitMs;
  for (;;) {
    try {
      return await condition();
    } catch (error) {
      if ((error as { actual?: unknown } | undefined)?.actual instanceof Promise)
        throw new Error(`The condition compares a promise, which it must await:\n  ${condition}`, {
          cause: error,
        });
      if (now() > deadline) throw timeoutError(condition, error);
    }
    await pause(intervalMs);
  }
};

const timeoutError = (condition: () => unknown, cause: unknown): Error => {
  const last = cause instanceof Error ? cause.message : String(cause);
  return new Error(
    `Waited ${waitLimitMs / 1000} s for:\n  ${condition}\nThe last attempt failed with:\n  ${last}`,
    { cause },
  );
};
