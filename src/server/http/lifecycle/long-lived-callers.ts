import type { Principal } from "../../words/principal.ts";
import type { Identified } from "../auth/host-auth.ts";
import type { Proof } from "../gate.ts";
import { type HttpRefusal, isRefusal, refusal } from "../refusal.ts";

/** Whoever stays connected, by a socket or a stream that lasts. */
export interface StandingCaller extends Identified {
  readonly proof: Proof;
  /** Called once, when the caller is not known any more or may do something else than when it came. */
  readonly end: (why: HttpRefusal) => void;
}

export interface StandingCallers {
  /** Watches one until the function that comes back is called. */
  readonly watch: (caller: StandingCaller) => () => void;
  /** Asks of everybody anew: tokens or keys have changed. */
  readonly recheck: () => void;
}

interface StandingCallersOptions {
  readonly isStillKnown: (proof: Proof) => Promise<Identified | HttpRefusal>;
  readonly now: () => number;
  readonly onError: (error: unknown) => void;
}

/** A timer cannot wait for longer. */
const longestWait = 2 ** 31 - 1;
/** A token that is still good when it should have ended is asked about again, though not all the time. */
const leastWait = 250;

export const isSamePrincipal = (one: Principal, other: Principal): boolean =>
  one === other || JSON.stringify(one) === JSON.stringify(other);

/** Nobody would come in with it a second time, so whoever is here with it comes in anew, with other rights. */
export const changedRights = (): HttpRefusal =>
  refusal(409, "rights_changed", "What this caller may do has changed. Connect again.");

/** Who is let in once is asked about again: when the token ends, and whenever tokens or keys change. */
export const standingCallers = ({ isStillKnown, now, onError }: StandingCallersOptions): StandingCallers => {
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
      const arm = (at: number | undefined): void => {
        clearTimeout(timer);
        if (at === undefined || isOver) return;
        timer = setTimeout(check, Math.min(Math.max(at - now(), leastWait), longestWait)).unref();
      };
      const judge = async (): Promise<void> => {
        const found = await isStillKnown(proof);
        if (isOver) return;
        // Keys that cannot be had say nothing of a token that still holds; it is asked about again, and with each message.
        const hasEnded = endsAt !== undefined && now() >= endsAt;
        if (isRefusal(found) && found.status >= 500 && !hasEnded) return arm(now() + 5_000);
        if (!isRefusal(found) && isSamePrincipal(found.principal, principal)) return arm(found.endsAt);
        stop();
        end(isRefusal(found) ? found : changedRights());
      };
      const check = (): void => void judge().catch(onError);
      checks.add(check);
      arm(endsAt);
      return stop;
    },
    recheck: () => {
      for (const check of checks) check();
    },
  };
};
