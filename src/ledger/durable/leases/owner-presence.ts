import * as Effect from "effect/Effect";
import type { LedgerError } from "../../../words/errors.ts";
import type { HeldClaims } from "../../held-claims.ts";
import { orderCallIds } from "../call-index.ts";
import type { Database, Script } from "../database.ts";
import type { SqlDialect } from "../dialect.ts";
import { monthKeeper } from "../months/months.ts";
import type { GroupWriter, Operation } from "../writer.ts";
import { deadOwnerSearch, type Searching } from "./dead-owners.ts";
import { addLocalOwner, removeLocalOwner } from "./judge-owners.ts";
import { lostClaims, register, renew } from "./owners.ts";
import type { PresenceTimes } from "./presence-times.ts";
import { leaving, recovering } from "./recover.ts";

export interface OwnerPresence {
  /** Closes what the dead left. True if there was any. */
  readonly recover: (when: "now" | "if due") => Promise<boolean>;
  /** Owners that are gone and whose entries nobody closes: where this store may not write. */
  readonly dead: () => readonly string[];
  /** Others may not take this store for dead, not even after its machine slept. */
  readonly stayAlive: () => void;
  readonly leave: () => Effect.Effect<void, LedgerError>;
}

interface Joining {
  readonly database: Database;
  readonly dialect: SqlDialect;
  readonly writer: GroupWriter;
  readonly owner: string;
  readonly now: () => number;
  readonly held: HeldClaims;
  readonly clock: { readonly measure: () => Script<void> };
  readonly times: PresenceTimes;
}

/** Makes this store known among those that write here, and looks after the others. */
export const joinOwners = async (joining: Joining): Promise<OwnerPresence> => {
  const { database, dialect, writer, owner, now, held, clock, times } = joining;
  const { leaseMs, beatMs, monotonic } = times;
  const months = monthKeeper(database, now);
  let beaten = monotonic();
  let hasLeft = false;
  let renewed = monotonic();
  let trustedFrom = Number.NEGATIVE_INFINITY;

  const heartbeat = () => ({ owner, at: now(), leaseMs });
  const heartbeatOperation: Operation<readonly (readonly [runId: string, epoch: number])[]> = {
    entryIds: [],
    *run() {
      // Whoever left does not come back by a heartbeat that was late.
      if (hasLeft) return [];
      // Before the question: a run that is begun meanwhile is not missed in the answer.
      const claims = held.all();
      yield* clock.measure();
      // Declared dead: what it held is lost, and what it opens from now on is its own again.
      if (!(yield* renew(dialect, heartbeat()))) yield* register(dialect, heartbeat());
      return yield* lostClaims(dialect, claims);
    },
  };
  /** Where this store could not renew its own lease in time, others are given time to renew theirs. */
  const markRenewed = (): void => {
    const at = monotonic();
    if (at - renewed > leaseMs) trustedFrom = at + 1.5 * beatMs;
    renewed = at;
  };
  const trustsLeases = (): boolean => monotonic() - renewed <= leaseMs && monotonic() >= trustedFrom;
  const beat = (): void => {
    beaten = monotonic();
    const tell = Effect.map(
      writer.write(() => heartbeatOperation),
      (lost) => {
        markRenewed();
        for (const [runId, epoch] of lost) held.lose(runId, epoch);
      },
    );
    const { isCallIndexDeferred } = dialect;
    Effect.runFork(Effect.ignore(isCallIndexDeferred ? Effect.andThen(tell, orderAll) : tell));
    void months.keep();
  };
  /** One transaction after the other, so that those of calls come in between. */
  const orderAll: Effect.Effect<void, LedgerError> = Effect.flatMap(
    writer.write(() => ({ entryIds: [], run: () => orderCallIds(dialect) })),
    (isMore) => (isMore ? orderAll : Effect.void),
  );
  const { recover } = deadOwnerSearch({ ...joining, trustsLeases }, async (dead) => {
    if (dead.length > 0) await Effect.runPromise(writer.write(() => recovering(dialect, dead, now())));
  });

  addLocalOwner(owner);
  try {
    await database.hold?.(owner);
    await database.write(function* () {
      yield* clock.measure();
      yield* register(dialect, heartbeat());
    });
    await recover("at open");
  } catch (error) {
    removeLocalOwner(owner);
    throw error;
  }
  const timer = setInterval(beat, beatMs).unref();
  return {
    dead: () => [],
    recover,
    stayAlive: () => {
      if (monotonic() - beaten > 1.5 * beatMs) beat();
    },
    leave: () => {
      hasLeft = true;
      clearInterval(timer);
      const claims = held.all();
      return Effect.ensuring(
        writer.write(() => leaving(dialect, owner, now())),
        Effect.sync(() => {
          removeLocalOwner(owner);
          for (const [runId, epoch] of claims) held.lose(runId, epoch);
        }),
      );
    },
  };
};

/** Sees who died without being there itself: nothing is written, so whoever reads takes it into account. */
export const observeOwners = (given: Omit<Searching, "owner" | "trustsLeases">): OwnerPresence => {
  let dead: readonly string[] = [];
  const { recover } = deadOwnerSearch({ ...given, owner: "", trustsLeases: () => true }, async (found) => {
    dead = found.map(({ owner }) => owner);
  });
  return {
    dead: () => dead,
    recover: async (when) => {
      await recover(when);
      return false;
    },
    stayAlive: () => {},
    leave: () => Effect.void,
  };
};
