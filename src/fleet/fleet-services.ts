import * as Context from "effect/Context";
import * as Effect from "effect/Effect";
import * as Layer from "effect/Layer";
import { checkFields } from "../json/check-fields.ts";
import { openSharedStore, type SharedStore, type SharedStoreOptions } from "../ledger/beside/shared-store.ts";
import { ConfigurationError, LedgerError } from "../words/errors.ts";
import { SharedLimits, type SharedLimitsStore } from "../words/shared-limits.ts";
import { leaseMs, openLimits } from "./limits.ts";
import { CallPools, type CallPoolsStore, type OpenCallPools, openCallPools } from "./pool/call-pools.ts";
import { isPostgresUrl } from "./queue.ts";

/** Where the processes of a fleet meet. */
export interface FleetServicesOptions {
  /** `postgres://…` of the database that also holds the ledger. */
  readonly url: string;
  /** The ledger's key, with which everything that processes tell each other is sealed. Unless set: HAFT_LEDGER_KEY. */
  readonly key?: string;
}

/** Limits, breakers and pools of a fleet for `runtimeLayer({ services })` of haft/effect. Haft.open has them with `fleet: fleet()`. */
export const fleetServices = (options: FleetServicesOptions): Layer.Layer<never> => {
  checkFields("fleetServices", options, ["url", "key"]);
  if (isPostgresUrl(options.url)) return sharedServices(options);
  throw new ConfigurationError(
    "invalid_config",
    'A fleet meets in PostgreSQL: fleetServices({ url: "postgres://user@host/database" }), the one of the ledger.',
  );
};

/** What layers and tools need that are to hold across a fleet. The first call that needs it connects. */
export const sharedServices = (options: SharedStoreOptions): Layer.Layer<never> =>
  Layer.effectContext(
    Effect.gen(function* () {
      const meeting = yield* Effect.acquireRelease(
        Effect.sync(() => new Meeting(options)),
        (opened) => Effect.promise(() => opened.close()),
      );
      return Context.make(SharedLimits, lateLimits(meeting)).pipe(
        Context.add(CallPools, latePools(meeting)),
      ) as Context.Context<never>;
    }),
  );

interface Met {
  readonly store: SharedStore;
  readonly limits: SharedLimitsStore;
  readonly pools: OpenCallPools;
}

/** The connection to the others, made when it is first needed. One that could not be made is tried again. */
class Meeting {
  readonly #options: SharedStoreOptions;
  #met: Promise<Met> | undefined;
  #isClosed = false;

  constructor(options: SharedStoreOptions) {
    this.#options = options;
  }

  met(): Promise<Met> {
    if (this.#isClosed)
      return Promise.reject(new LedgerError("ledger_unavailable", "The runtime was closed."));
    this.#met ??= meet(this.#options).catch((error: unknown) => {
      this.#met = undefined;
      throw error;
    });
    return this.#met;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#met?.then(
      ({ store, pools }) => {
        pools.close();
        return store.close();
      },
      () => {},
    );
  }
}

const meet = async (options: SharedStoreOptions): Promise<Met> => {
  const store = await openSharedStore(options);
  try {
    return { store, limits: await openLimits(store), pools: await openCallPools(store) };
  } catch (error) {
    await store.close();
    throw error;
  }
};

const lateLimits = (meeting: Meeting): SharedLimitsStore => {
  const ask = <A>(
    question: (limits: SharedLimitsStore) => Effect.Effect<A, LedgerError>,
  ): Effect.Effect<A, LedgerError> =>
    Effect.flatMap(
      Effect.tryPromise({
        try: () => meeting.met(),
        catch: (error) =>
          error instanceof LedgerError ? error : new LedgerError("ledger_unavailable", String(error)),
      }),
      ({ limits }) => question(limits),
    );
  return {
    leaseMs,
    // Where nobody can be heard now, whoever waits asks again by itself.
    onFreed: (name, listener) => {
      const hearing = meeting.met().then(
        ({ limits }) => limits.onFreed(name, listener),
        () => () => {},
      );
      return () => void hearing.then((stop) => stop());
    },
    take: (limit, take) => ask((limits) => limits.take(limit, take)),
    readBreaker: (name, test) => ask((limits) => limits.readBreaker(name, test)),
    openBreaker: (name, open) => ask((limits) => limits.openBreaker(name, open)),
    closeBreaker: (name) => ask((limits) => limits.closeBreaker(name)),
  };
};

const latePools = (meeting: Meeting): CallPoolsStore => ({
  call: async (pool, job, signal) => {
    let pools: CallPoolsStore;
    try {
      ({ pools } = await meeting.met());
    } catch (error) {
      return { kind: "unreached", why: error instanceof Error ? error.message : String(error) };
    }
    return await pools.call(pool, job, signal);
  },
});
