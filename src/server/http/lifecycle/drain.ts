import type { ReportError } from "../../request/http-error.ts";
import type { RequestSlots } from "../../request/request-slots.ts";
import type { McpEndpoint } from "../host-options.ts";

const pollMs = 20;
const responseGraceMs = 500;

const waitUntil = (isMet: () => boolean, ms: number, slots: RequestSlots): Promise<void> =>
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
    const stop = slots.onEnd(check);
  });

export const waitAtMost = async (work: Promise<unknown>, ms: number): Promise<void> => {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  await Promise.race([work, late]);
  clearTimeout(timer);
};

export const whenIdleOrTimeout = (slots: RequestSlots): Promise<void> =>
  waitUntil(() => slots.total() === 0, responseGraceMs, slots);

/** Waits for calls, closes the endpoint and sends responses within `drainMs`. */
export const drainRequests = async (
  mcp: McpEndpoint,
  slots: RequestSlots,
  { drainMs, onError }: { readonly drainMs: number; readonly onError: ReportError },
): Promise<void> => {
  const began = performance.now();
  const remainingMs = (): number => Math.max(0, Math.round(drainMs - (performance.now() - began)));
  const calls = (): number => mcp.activeCalls ?? slots.passing();
  await waitUntil(() => calls() === 0, drainMs, slots);
  const closing = (async () => mcp.close(remainingMs()))().catch((error: unknown) => onError(error, "drain"));
  await waitAtMost(closing, remainingMs() + responseGraceMs);
  await whenIdleOrTimeout(slots);
};
