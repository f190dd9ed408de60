import { Script } from "node:vm";

/** Far more than the work takes on any machine, and far less than exponential or quadratic work takes. */
const limitMs = 60_000;

/**
 * Runs synchronous work and fails if it does not finish. Use it with input for which a wrong algorithm would
 * run for hours, so that the limit never decides about a correct one.
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
