import * as Effect from "effect/Effect";
import * as Layer from "effect/Layer";
import { checkFields } from "../base/json/check-fields.ts";
import {
  openSharedStore,
  type SharedStore,
  type SharedStoreOptions,
} from "../ledger/postgres-messaging/shared-store.ts";
import { ConfigurationError, LedgerError } from "../types/errors.ts";
import { SharedLimits, type SharedLimitsStore } from "../types/shared-limits.ts";
import { isPostgresUrl } from "./open-queue.ts";
import { leaseMs, openSharedLimits } from "./open-shared-limits.ts";

/** How a process reaches the shared services of a fleet. */
export interface FleetServicesOptions {
  /** `postgres://` URL of the ledger's database. */
  readonly url: string;
  /** Ledger key that all processes share. Default: HAFT_LEDGER_KEY. */
  readonly key?: string;
}

/**
 * Limits and circuit breakers of a fleet, for `runtimeLayer({ services })` of haft/effect. Haft.open provides
 * them with `fleet: fleet()`.
 */
export const fleetServices = (options: FleetServicesOptions): Layer.Layer<never> => {
  checkFields("fleetServices", options, ["url", "key"]);
  if (isPostgresUrl(options.url)) return sharedServices(options);
  throw new ConfigurationError(
    "invalid_config",
    'A fleet needs the PostgreSQL database of the ledger: fleetServices({ url: "postgres://user@host/database" }).',
  );
};

export const sharedServices = (options: SharedStoreOptions): Layer.Layer<never> =>
  Layer.effect(
    SharedLimits,
    Effect.map(
      Effect.acquireRelease(
        Effect.sync(() => new LazySharedLimits(options)),
        (opened) => Effect.promise(() => opened.close()),
      ),
      lazyLimits,
    ),
  );

interface SharedLimitsConnection {
  readonly store: SharedStore;
  readonly limits: SharedLimitsStore;
}

/** Connects on first use, and again after a failed attempt. */
class LazySharedLimits {
  readonly #options: SharedStoreOptions;
  #connection: Promise<SharedLimitsConnection> | undefined;
  #isClosed = false;

  constructor(options: SharedStoreOptions) {
    this.#options = options;
  }

  connect(): Promise<SharedLimitsConnection> {
    if (this.#isClosed)
      return Promise.reject(new LedgerError("ledger_unavailable", "The runtime was closed."));
    this.#connection ??= connectSharedLimits(this.#options).catch((error: unknown) => {
      this.#connection = undefined;
      throw error;
    });
    return this.#connection;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#connection?.then(
      ({ store }) => store.close(),
      () => {},
    );
  }
}

const connectSharedLimits = async (options: SharedStoreOptions): Promise<SharedLimitsConnection> => {
  const store = await openSharedStore(options);
  try {
    return { store, limits: await openSharedLimits(store) };
  } catch (error) {
    await store.close();
    throw error;
  }
};

const lazyLimits = (connection: LazySharedLimits): SharedLimitsStore => {
  const withLimits = <A>(
    question: (limits: SharedLimitsStore) => Effect.Effect<A, LedgerError>,
  ): Effect.Effect<A, LedgerError> =>
    Effect.flatMap(
      Effect.tryPromise({
        try: () => connection.connect(),
        catch: (error) =>
          error instanceof LedgerError ? error : new LedgerError("ledger_unavailable", String(error)),
      }),
      ({ limits }) => question(limits),
    );
  return {
    leaseMs,
    // Without a connection, waiting callers poll.
    onFreed: (name, listener) => {
      const subscription = connection.connect().then(
        ({ limits }) => limits.onFreed(name, listener),
        () => () => {},
      );
      return () => void subscription.then((stop) => stop());
    },
    take: (limit, take) => withLimits((limits) => limits.take(limit, take)),
    readBreaker: (name, test) => withLimits((limits) => limits.readBreaker(name, test)),
    openBreaker: (name, open) => withLimits((limits) => limits.openBreaker(name, open)),
    closeBreaker: (name) => withLimits((limits) => limits.closeBreaker(name)),
  };
};
