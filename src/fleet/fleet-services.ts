import * as Effect from "effect/Effect";
import * as Layer from "effect/Layer";
import { checkFields } from "../base/json/check-fields.ts";
import {
  openSharedStore,
  type SharedStore,
  type SharedStoreOptions,
} from "../ledger/postgres-messaging/shared-store.ts";
import { runInRuntime, valueOrThrow } from "../runtime/run-in-runtime.ts";
import type { SharedRuntime } from "../runtime/shared-runtime.ts";
import { ConfigurationError, LedgerError } from "../types/errors.ts";
import {
  type SharedLimit,
  type SharedLimitDemand,
  type SharedLimitGrant,
  SharedLimits,
  type SharedLimitsStore,
} from "../types/shared-limits.ts";
import { isPostgresUrl } from "./open-queue.ts";

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

// Databases of 0.2.0 may also have the table haft_pool_jobs, which nothing uses since pools were removed.
const limitsTable = "haft_limits";
const breakersTable = "haft_breakers";
const leaseMs = 6_000;
/** Burst size as a share of the rate. */
const burstShare = 0.1;

/** Limits and circuit breakers in PostgreSQL, on its clock. */
export const openSharedLimits = async (store: SharedStore): Promise<SharedLimitsStore> => {
  await store.prepare(limitsTable, [
    `CREATE TABLE ${limitsTable} (name text PRIMARY KEY, tokens float8 NOT NULL, at timestamptz NOT NULL,
      holders jsonb NOT NULL DEFAULT '{}')`,
  ]);
  await store.prepare(breakersTable, [
    `CREATE TABLE ${breakersTable} (name text PRIMARY KEY, failures int NOT NULL, open_until timestamptz NOT NULL,
      test_until timestamptz)`,
  ]);
  const toLedgerEffect = <A>(work: () => Promise<A>): Effect.Effect<A, LedgerError> =>
    Effect.tryPromise({
      try: work,
      catch: (error) =>
        error instanceof LedgerError ? error : new LedgerError("ledger_unavailable", String(error)),
    });
  return {
    leaseMs,
    onFreed: (name, listener) =>
      store.hear((word) => {
        if (word.startsWith(`${limitMessagePrefix(name)} `) && !word.endsWith(` ${store.name}`)) listener();
      }),
    take: (limit, take) => toLedgerEffect(() => takeFromLimit(store, limit, take)),
    readBreaker: (name, { withinMs }) =>
      toLedgerEffect(async () => {
        const [row] = await store.ask(breakerTestSql, [name, withinMs / 1000]);
        return {
          closedInMs: Number(row?.closed_ms ?? 0),
          failures: Number(row?.failures ?? 0),
          mayTest: row?.may_test === true,
        };
      }),
    openBreaker: (name, { failures, forMs }) =>
      toLedgerEffect(async () => {
        await store.ask(
          `INSERT INTO ${breakersTable} (name, failures, open_until)
           VALUES ($1, $2, clock_timestamp() + make_interval(secs => $3))
           ON CONFLICT (name) DO UPDATE SET failures = excluded.failures, open_until = excluded.open_until,
             test_until = NULL`,
          [name, failures, forMs / 1000],
        );
      }),
    closeBreaker: (name) =>
      toLedgerEffect(async () => {
        await store.ask(`DELETE FROM ${breakersTable} WHERE name = $1`, [name]);
      }),
  };
};

/** After the cool-down, one of several callers may test. */
const breakerTestSql = `
  WITH locked AS MATERIALIZED (SELECT * FROM ${breakersTable} WHERE name = $1 FOR UPDATE),
  seen AS (SELECT *, clock_timestamp() AS now FROM locked),
  tested AS (
    UPDATE ${breakersTable} AS b SET test_until = seen.now + make_interval(secs => $2) FROM seen
    WHERE b.name = seen.name AND seen.open_until <= seen.now
      AND (seen.test_until IS NULL OR seen.test_until <= seen.now)
    RETURNING 1)
  SELECT failures, EXISTS (SELECT 1 FROM tested) AS may_test,
    CASE WHEN EXISTS (SELECT 1 FROM tested) THEN 0
      ELSE greatest(0, ceil(extract(epoch FROM greatest(open_until, test_until) - now) * 1000)) END AS closed_ms
  FROM seen`;

/**
 * Decides in one statement: refills tokens, subtracts the places of other processes, and reserves one for
 * each waiting process whose last turn was earlier. `holders` maps a process to [held, expiry, waiting, last
 * turn].
 */
const takeLimitSql = `
  WITH locked AS MATERIALIZED (SELECT * FROM ${limitsTable} WHERE name = $1 FOR UPDATE),
  seen AS (SELECT *, clock_timestamp() AS now FROM locked),
  counted AS (
    SELECT now, extract(epoch FROM now)::float8 AS second,
      least($2::float8, tokens + $3::int + greatest(0, extract(epoch FROM now - at)) * $4::float8) AS filled,
      coalesce((holders->$5::text->>3)::float8, 0) AS turn,
      (SELECT coalesce(jsonb_object_agg(key, value), '{}') FROM jsonb_each(holders)
        WHERE key <> $5::text AND (value->>1)::float8 > extract(epoch FROM now)) AS others
    FROM seen),
  queued AS (
    SELECT *, (SELECT count(*)::int FROM jsonb_each(others)
      WHERE (value->>2)::int > 0 AND (value->>3)::float8 < turn) AS ahead
    FROM counted),
  free AS (
    SELECT *, $7::int - $8::int - (SELECT coalesce(sum((value->>0)::int), 0)::int FROM jsonb_each(others)) AS available
    FROM queued),
  decided AS (
    SELECT *, greatest(0, least($6::int,
        CASE WHEN $4::float8 = 0 THEN $6::int ELSE floor(filled)::int END,
        coalesce(available - ahead, $6::int))) AS granted
    FROM free)
  UPDATE ${limitsTable} AS l SET at = decided.now, tokens = filled - CASE WHEN $4::float8 = 0 THEN 0 ELSE granted END,
    holders = others || CASE WHEN $7::int IS NULL THEN '{}'::jsonb
      ELSE jsonb_build_object($5::text, jsonb_build_array($8::int + granted, second + $9::float8,
        $6::int - granted, CASE WHEN granted > 0 THEN second ELSE turn END)) END
  FROM decided WHERE l.name = $1
  RETURNING granted, filled, ahead > 0 AND available > granted AS is_anothers`;

const limitMessagePrefix = (name: string): string => `limit ${name}`;

const takeFromLimit = async (
  store: SharedStore,
  { name, rate, concurrency }: SharedLimit,
  { holding, wanted, returned }: SharedLimitDemand,
): Promise<SharedLimitGrant> => {
  const perSecond = rate === undefined ? 0 : (rate.count / rate.millis) * 1000;
  const burst = rate === undefined ? 0 : Math.max(1, Math.ceil(rate.count * burstShare));
  const values = [
    name,
    burst,
    returned,
    perSecond,
    store.name,
    wanted,
    concurrency ?? null,
    holding,
    leaseMs / 1000,
  ];
  let [row] = await store.ask(takeLimitSql, values);
  if (row === undefined) {
    await store.ask(
      `INSERT INTO ${limitsTable} (name, tokens, at) VALUES ($1, $2, clock_timestamp()) ON CONFLICT DO NOTHING`,
      [name, burst],
    );
    [row] = await store.ask(takeLimitSql, values);
  }
  const granted = Number(row?.granted ?? 0);
  // Wakes the process that the place is reserved for.
  if (row?.is_anothers === true) await store.tell(`${limitMessagePrefix(name)} ${store.name}`);
  return { granted, retryMs: retryDelayMs(perSecond, burst, Number(row?.filled ?? 0) - granted) };
};

/** After one token is available and before the bucket is full. */
const retryDelayMs = (perSecond: number, burst: number, left: number): number => {
  if (perSecond === 0) return 100;
  const untilFull = (burst / perSecond) * 1000;
  const untilOne = (Math.max(0, 1 - left) / perSecond) * 1000;
  return Math.min(1_000, Math.max(20, untilOne, untilFull * 0.5));
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

export const runOrThrow = <A, E>(shared: SharedRuntime, effect: Effect.Effect<A, E>): Promise<A> =>
  runInRuntime(shared, effect, valueOrThrow);
