import type { Principal } from "../../../types/principal.ts";
import type { AuthenticatedCaller } from "../auth/host-auth.ts";
import { type HttpRejection, httpRejection, isHttpRejection } from "../http-rejection.ts";
import type { CallerCredentials } from "../request-guard.ts";

export interface LongLivedCaller extends AuthenticatedCaller {
  readonly proof: CallerCredentials;
  /** Called once, when the caller or its rights are no longer valid. */
  readonly end: (why: HttpRejection) => void;
}

export interface LongLivedCallers {
  /** Until the returned function is called. */
  readonly watch: (caller: LongLivedCaller) => () => void;
  readonly recheck: () => void;
}

interface LongLivedCallersOptions {
  readonly isStillKnown: (proof: CallerCredentials) => Promise<AuthenticatedCaller | HttpRejection>;
  readonly now: () => number;
  readonly onError: (error: unknown) => void;
}

/** Maximum delay of setTimeout. */
const maxTimerMs = 2 ** 31 - 1;
/** For expired tokens that are still accepted. */
const minRecheckMs = 250;

export const isSamePrincipal = (one: Principal, other: Principal): boolean =>
  one === other || JSON.stringify(one) === JSON.stringify(other);

export const rightsChangedRejection = (): HttpRejection =>
  httpRejection(409, "rights_changed", "The permissions of this caller have changed. Reconnect.");

/** Authenticates again when tokens expire and when tokens or keys change. */
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
        // Unavailable keys do not invalidate a token.
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
