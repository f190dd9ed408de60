import type { McpEndpoint } from "../host-options.ts";
import type { RequestsInFlight } from "./requests-in-flight.ts";

const lookEveryMs = 20;
const lastWordsMs = 500;

/** Waits for a condition, or for so long. */
const until = (isMet: () => boolean, ms: number, flights: RequestsInFlight): Promise<void> =>
  new Promise((resolve) => {
    if (isMet() || ms <= 0) return resolve();
    const settle = (): void => {
      clearTimeout(end);
      clearInterval(look);
      stop();
      resolve();
    };
    const check = (): void => {
      if (isMet()) settle();
    };
    const end = setTimeout(settle, ms);
    // Calls end without telling us.
    const look = setInterval(check, lookEveryMs);
    const stop = flights.onEnd(check);
  });

const atMost = async (work: Promise<unknown>, ms: number): Promise<void> => {
  let timer: NodeJS.Timeout | undefined;
  const end = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  await Promise.race([work, end]);
  clearTimeout(timer);
};

/** Nothing is in flight any more, or a moment passed. */
export const landed = (flights: RequestsInFlight): Promise<void> =>
  until(() => flights.total() === 0, lastWordsMs, flights);

/** Running calls finish, standing streams are ended, answers on their way get out: all of it within the time. */
export const drain = async (
  mcp: McpEndpoint,
  flights: RequestsInFlight,
  { drainMs, onError }: { readonly drainMs: number; readonly onError: (error: unknown) => void },
): Promise<void> => {
  const began = performance.now();
  const left = (): number => Math.max(0, Math.round(drainMs - (performance.now() - began)));
  const calls = mcp.activeCalls ?? flights.passing;
  await until(() => calls() === 0, drainMs, flights);
  const closing = (async () => mcp.close(left()))().catch(onError);
  await atMost(closing, left() + lastWordsMs);
  await landed(flights);
};
