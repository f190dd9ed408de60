import { Script } from "node:vm";

/** Far above what the work takes on any machine, and far below what exponential or quadratic work would take. */
const limitMs = 60_000;

/**
 * Runs synchronous work, and ends it with an error when it does not finish. Use it with input for which a wrong algorithm
 * would run for hours: then the limit never decides about a right one.
 */
export const expectToFinish = <Value>(work: () => Value): Value => {
  const slot = globalThis as { finishesWork?: () => Value };
  slot.finishesWork = work;
  try {
    return new Script("finishesWork()").runInThisContext({ timeout: limitMs });
  } finally {
    delete slot.finishesWork;
  }
};
