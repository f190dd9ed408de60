import { PostgresError } from "./errors.ts";

export interface Retrier {
  /** Tries again, on whatever connection there is by then, as long as trouble may pass and patience lasts. */
  readonly keepTrying: <A>(attempt: () => Promise<A>) => Promise<A>;
}

const maxPauseMs = 250;

/**
 * Patience counts from when something was asked for, or from the last time that something went well: work that
 * waits in line behind an outage does not wait for it all over again.
 */
export const createRetrier = (retryForMs: number): Retrier => {
  let lastSuccessAt = Number.NEGATIVE_INFINITY;
  return {
    keepTrying: async (attempt) => {
      const asked = performance.now();
      for (let pauseMs = 10; ; pauseMs = Math.min(pauseMs * 2, maxPauseMs)) {
        try {
          const result = await attempt();
          lastSuccessAt = performance.now();
          return result;
        } catch (error) {
          const left = Math.max(asked, lastSuccessAt) + retryForMs - performance.now();
          if (!(error instanceof PostgresError) || !error.isPassing || left <= 0) throw error;
          await new Promise((resolve) => setTimeout(resolve, Math.min(pauseMs, left)));
        }
      }
    },
  };
};
