import type { Database } from "../database.ts";
import { isThere } from "./host.ts";
import type { LedgerOwner } from "./owners.ts";
import type { PresenceTimes } from "./presence-times.ts";

/** Stores of this thread that are open. Several copies of this package share it. */
const registry = globalThis as { [key: symbol]: Set<string> | undefined };
const place = Symbol.for("haft/ledger-owners");
registry[place] ??= new Set();
const localOwners: Set<string> = registry[place];

export const addLocalOwner = (owner: string): void => {
  localOwners.add(owner);
};
export const removeLocalOwner = (owner: string): void => {
  localOwners.delete(owner);
};

/** An owner that is dead as far as anybody can tell, as it was when that was found. */
export type DeadOwner = Pick<LedgerOwner, "owner" | "beats">;

export interface Verdict {
  readonly dead: readonly DeadOwner[];
  /** Somebody's connection is gone: another look after this time tells whether it came back. */
  readonly lookAgainInMs: number | undefined;
}

export interface Judging {
  readonly database: Database;
  readonly times: Pick<PresenceTimes, "silenceMs" | "returnMs" | "monotonic">;
  readonly trustsLeases: () => boolean;
}

interface Seen {
  readonly beats: number | undefined;
  readonly since: number;
}

const longestPauseMs = 500;

/**
 * Tells who is dead among several owners. Silence is measured by this process's own monotonic clock from when it first
 * heard of an owner, so no wrong clock makes anybody dead; what a wrong verdict costs is time, because the epochs of
 * runs refuse whoever was declared dead and lives.
 */
export const ownerJudge = ({ database, times, trustsLeases }: Judging) => {
  const { silenceMs, returnMs, monotonic } = times;
  const silent = new Map<string, Seen>();
  const missing = new Map<string, number>();

  const isSilent = ({ owner, beats }: LedgerOwner): boolean => {
    const before = silent.get(owner);
    if (before !== undefined && before.beats === beats) return monotonic() - before.since > silenceMs;
    silent.set(owner, { beats, since: monotonic() });
    return false;
  };
  const isDeadHere = (owner: LedgerOwner): boolean => {
    const there = owner.birth && isThere(owner.birth, localOwners.has(owner.owner));
    return there === undefined ? isSilent(owner) : !there;
  };
  /** On a server the lease decides; a connection that is gone for a while is an earlier sign. */
  const isDeadThere = (owner: LedgerOwner, gone: ReadonlySet<string>): boolean => {
    if (owner.beats === undefined) return isSilent(owner);
    if (owner.isExpired && trustsLeases()) return true;
    if (!gone.has(owner.owner)) {
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

  return async (owners: readonly LedgerOwner[]): Promise<Verdict> => {
    const names = owners.map(({ owner }) => owner);
    forgetOthers(new Set(names));
    const { findGone } = database;
    if (findGone === undefined) return { dead: owners.filter(isDeadHere), lookAgainInMs: undefined };
    const gone = new Set(names.length === 0 ? [] : await findGone(names));
    const dead = owners.filter((owner) => isDeadThere(owner, gone));
    const isOpen = owners.some((owner) => missing.has(owner.owner) && !dead.includes(owner));
    return { dead, lookAgainInMs: isOpen ? Math.min(returnMs, longestPauseMs) : undefined };
  };
};
