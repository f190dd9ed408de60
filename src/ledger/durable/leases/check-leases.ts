import type { Database } from "../database.ts";
import type { LeaseTimings, LedgerOwner } from "./ledger-owners.ts";
import { isProcessAlive } from "./process-identity.ts";

/** Shared by all copies of this package. */
const globalOwners = globalThis as { [key: symbol]: Set<string> | undefined };
const ownersSymbol = Symbol.for("haft/ledger-owners");
globalOwners[ownersSymbol] ??= new Set();
const localOwners: Set<string> = globalOwners[ownersSymbol];

export const addLocalOwner = (owner: string): void => {
  localOwners.add(owner);
};
export const removeLocalOwner = (owner: string): void => {
  localOwners.delete(owner);
};

export type DeadOwner = Pick<LedgerOwner, "owner" | "beats">;

export interface LeaseCheckResult {
  readonly dead: readonly DeadOwner[];
  readonly recheckAfterMs: number | undefined;
}

export interface LeaseCheckOptions {
  readonly database: Database;
  readonly times: Pick<LeaseTimings, "silenceMs" | "returnMs" | "monotonic">;
  readonly trustsLeases: () => boolean;
}

interface LastHeartbeat {
  readonly beats: number | undefined;
  readonly since: number;
}

const maxPauseMs = 500;

/**
 * Silence is measured by the local monotonic clock, so clock skew does not matter. A wrong decision only
 * costs time, because epochs fence the former owner.
 */
export const createLeaseCheck = ({ database, times, trustsLeases }: LeaseCheckOptions) => {
  const { silenceMs, returnMs, monotonic } = times;
  const silent = new Map<string, LastHeartbeat>();
  const missing = new Map<string, number>();

  const isSilent = ({ owner, beats }: LedgerOwner): boolean => {
    const before = silent.get(owner);
    if (before !== undefined && before.beats === beats) return monotonic() - before.since > silenceMs;
    silent.set(owner, { beats, since: monotonic() });
    return false;
  };
  const isDeadLocally = (owner: LedgerOwner): boolean => {
    const there = owner.birth && isProcessAlive(owner.birth, localOwners.has(owner.owner));
    return there === undefined ? isSilent(owner) : !there;
  };
  /** On a server the lease decides; a lost connection is an earlier sign. */
  const isDeadOnServer = (owner: LedgerOwner, disconnected: ReadonlySet<string>): boolean => {
    if (owner.beats === undefined) return isSilent(owner);
    if (owner.isExpired && trustsLeases()) return true;
    if (!disconnected.has(owner.owner)) {
      missing.delete(owner.owner);
      return false;
    }
    const since = missing.get(owner.owner) ?? monotonic();
    missing.set(owner.owner, since);
    return monotonic() - since >= returnMs;
  };
  const forgetOthers = (known: ReadonlySet<string>): void => {
    for (const seen of [silent, missing]) {
      for (const owner of seen.keys()) if (!known.has(owner)) seen.delete(owner);
    }
  };

  return async (owners: readonly LedgerOwner[]): Promise<LeaseCheckResult> => {
    const names = owners.map(({ owner }) => owner);
    forgetOthers(new Set(names));
    const { findGone } = database;
    if (findGone === undefined) return { dead: owners.filter(isDeadLocally), recheckAfterMs: undefined };
    const disconnected = new Set(names.length === 0 ? [] : await findGone(names));
    const dead = owners.filter((owner) => isDeadOnServer(owner, disconnected));
    const isOpen = owners.some((owner) => missing.has(owner.owner) && !dead.includes(owner));
    return { dead, recheckAfterMs: isOpen ? Math.min(returnMs, maxPauseMs) : undefined };
  };
};
