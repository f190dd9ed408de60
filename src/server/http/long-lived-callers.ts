import type { Principal } from "../../types/principal.ts";
import { HttpError, type ReportError } from "../request/http-error.ts";
import type { RequestSlots } from "../request/request-slots.ts";
import type { AuthenticatedCaller } from "./auth/host-auth.ts";
import type { McpEndpoint } from "./host-options.ts";
import type { CallerCredentials } from "./host-state.ts";

export interface LongLivedCaller extends AuthenticatedCaller {
  readonly credentials: CallerCredentials;
  /** Called once, when the caller or its rights are no longer valid. */
  readonly end: (why: HttpError) => void;
}

export interface LongLivedCallers {
  /** Until the returned function is called. */
  readonly watch: (caller: LongLivedCaller) => () => void;
  readonly recheck: () => void;
}

interface LongLivedCallersOptions {
  readonly identify: (credentials: CallerCredentials) => Promise<AuthenticatedCaller>;
  readonly now: () => number;
  readonly onError: ReportError;
}

/** Maximum delay of setTimeout. */
const maxTimerMs = 2 ** 31 - 1;
/** For expired tokens that are still accepted. */
const minRecheckMs = 250;
const keysRetryMs = 5_000;

export const isSamePrincipal = (one: Principal, other: Principal): boolean =>
  one === other || JSON.stringify(one) === JSON.stringify(other);

export const rightsChangedError = (): HttpError =>
  new HttpError(409, "rights_changed", "The permissions of this caller have changed. Reconnect.");

/** Authenticates again when tokens expire and when tokens or keys change. */
export const trackLongLivedCallers = ({
  identify,
  now,
  onError,
}: LongLivedCallersOptions): LongLivedCallers => {
  const checks = new Set<() => void>();
  return {
    watch: ({ credentials, principal, endsAt, end }) => {
      let timer: NodeJS.Timeout | undefined;
      let isOver = false;
      const stop = (): void => {
        isOver = true;
        clearTimeout(timer);
        checks.delete(check);
      };
      const startTimer = (at: number | undefined): void => {
        clearTimeout(timer);
        if (at === undefined || isOver) return;
        timer = setTimeout(check, Math.min(Math.max(at - now(), minRecheckMs), maxTimerMs)).unref();
      };
      const findProblem = async (): Promise<HttpError | undefined> => {
        try {
          const found = await identify(credentials);
          if (!isSamePrincipal(found.principal, principal)) return rightsChangedError();
          startTimer(found.endsAt);
        } catch (error) {
          if (!(error instanceof HttpError)) throw error;
          // Unavailable keys do not invalidate a token.
          if (error.status < 500 || (endsAt !== undefined && now() >= endsAt)) return error;
          startTimer(now() + keysRetryMs);
        }
        return undefined;
      };
      const recheckCaller = async (): Promise<void> => {
        const problem = await findProblem();
        if (isOver || problem === undefined) return;
        stop();
        end(problem);
      };
      const check = (): void => void recheckCaller().catch((error: unknown) => onError(error, "recheck"));
      checks.add(check);
      startTimer(endsAt);
      return stop;
    },
    recheck: () => {
      for (const check of checks) check();
    },
  };
};

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
