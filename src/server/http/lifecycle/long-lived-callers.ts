import type { Principal } from "../../../types/principal.ts";
import type { AuthenticatedCaller } from "../auth/host-auth.ts";
import { type HttpRejection, httpRejection, isHttpRejection } from "../http-rejection.ts";
import type { CallerCredentials } from "../request-guard.ts";

/** Whoever stays connected, by a socket or a stream that lasts. */
export interface LongLivedCaller extends AuthenticatedCaller {
  readonly proof: CallerCredentials;
  /** Called once, when the caller is not known any more or may do something else than when it came. */
  readonly end: (why: HttpRejection) => void;
}

export interface LongLivedCallers {
  /** Watches one until the function that comes back is called. */
  readonly watch: (caller: LongLivedCaller) => () => void;
  /** Asks of everybody anew: tokens or keys have changed. */
  readonly recheck: () => void;
}

interface LongLivedCallersOptions {
  readonly isStillKnown: (proof: CallerCredentials) => Promise<AuthenticatedCaller | HttpRejection>;
  readonly now: () => number;
  readonly onError: (error: unknown) => void;
}

/** A timer cannot wait for longer. */
const maxTimerMs = 2 ** 31 - 1;
/** A token that is still good when it should have ended is asked about again, though not all the time. */
const minRecheckMs = 250;

export const isSamePrincipal = (one: Principal, other: Principal): boolean =>
  one === other || JSON.stringify(one) === JSON.stringify(other);

/** Nobody would come in with it a second time, so whoever is here with it comes in anew, with other rights. */
export const rightsChangedRejection = (): HttpRejection =>
  httpRejection(409, "rights_changed", "What this caller may do has changed. Connect again.");

/** Who is let in once is asked about again: when the token ends, and whenever tokens or keys change. */
export const trackLongLivedCallers = ({
  isStillKnown,
  now,
  onError,
}: LongLivedCallersOptions): LongLivedCallers => {
  const checks = new Set<() => void>();
  return {
    watch: ({ proof, principal, endsAt, end }) => {
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
      const recheckCaller = async (): Promise<void> => {
        const found = await isStillKnown(proof);
        if (isOver) return;
        // Keys that cannot be had say nothing of a token that still holds; it is asked about again, and with each message.
        const hasEnded = endsAt !== undefined && now() >= endsAt;
        if (isHttpRejection(found) && found.status >= 500 && !hasEnded) return startTimer(now() + 5_000);
        if (!isHttpRejection(found) && isSamePrincipal(found.principal, principal))
          return startTimer(found.endsAt);
        stop();
        end(isHttpRejection(found) ? found : rightsChangedRejection());
      };
      const check = (): void => void recheckCaller().catch(onError);
      checks.add(check);
      startTimer(endsAt);
      return stop;
    },
    recheck: () => {
      for (const check of checks) check();
    },
  };
};
