import { PostgresError } from "./errors.ts";

export interface Retrier {
  readonly keepTrying: <A>(attempt: () => Promise<A>) => Promise<A>;
}

const maxPauseMs = 250;

/**
 * The time counts from the request or the last success of any attempt, so that queued work does not wait for
 * it again.
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
