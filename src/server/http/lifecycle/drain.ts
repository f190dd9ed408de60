import type { McpEndpoint } from "../host-options.ts";
import type { RequestsInFlight } from "./requests-in-flight.ts";

const pollMs = 20;
const responseGraceMs = 500;

const waitUntil = (isMet: () => boolean, ms: number, inFlight: RequestsInFlight): Promise<void> =>
  new Promise((resolve) => {
    if (isMet() || ms <= 0) return resolve();
    const settle = (): void => {
      clearTimeout(end);
      clearInterval(poll);
      stop();
      resolve();
    };
    const check = (): void => {
      if (isMet()) settle();
    };
    const end = setTimeout(settle, ms);
    // Calls end without an event.
    const poll = setInterval(check, pollMs);
    const stop = inFlight.onEnd(check);
  });

const waitAtMostMs = async (work: Promise<unknown>, ms: number): Promise<void> => {
  let timer: NodeJS.Timeout | undefined;
  const end = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  await Promise.race([work, end]);
  clearTimeout(timer);
};

export const whenIdleOrTimeout = (inFlight: RequestsInFlight): Promise<void> =>
  waitUntil(() => inFlight.total() === 0, responseGraceMs, inFlight);

/** Waits for calls, closes the endpoint and sends responses within `drainMs`. */
export const drainRequests = async (
  mcp: McpEndpoint,
  inFlight: RequestsInFlight,
  { drainMs, onError }: { readonly drainMs: number; readonly onError: (error: unknown) => void },
): Promise<void> => {
  const began = performance.now();
  const remainingMs = (): number => Math.max(0, Math.round(drainMs - (performance.now() - began)));
  const calls = mcp.activeCalls ?? inFlight.passing;
  await waitUntil(() => calls() === 0, drainMs, inFlight);
  const closing = (async () => mcp.close(remainingMs()))().catch(onError);
  await waitAtMostMs(closing, remainingMs() + responseGraceMs);
  await whenIdleOrTimeout(inFlight);
};
