import * as Context from "effect/Context";
import * as Effect from "effect/Effect";
import * as Layer from "effect/Layer";
import { checkFields } from "../json/check-fields.ts";
import { openSharedStore } from "../ledger/beside/shared-store.ts";
import { ConfigurationError, LedgerError, ToolError } from "../words/errors.ts";
import { SharedLimits } from "../words/shared-limits.ts";
import { openLimits } from "./limits.ts";
import { CallPools, openCallPools } from "./pool/call-pools.ts";
import { isPostgresUrl } from "./queue.ts";

/** Where the processes of a fleet meet. */
export interface FleetServicesOptions {
  /** `postgres://…` of the database that also holds the ledger. */
  readonly url: string;
  /** The ledger's key, with which everything that processes tell each other is sealed. Unless set: HAFT_LEDGER_KEY. */
  readonly key?: string;
}

/** What layers and tools need that are to hold across a fleet: `Haft.open({ services: fleetServices({ url }) })`. */
export const fleetServices = (options: FleetServicesOptions): Layer.Layer<never, ToolError> => {
  checkFields("fleetServices", options, ["url", "key"]);
  if (!isPostgresUrl(options.url)) {
    throw new ConfigurationError(
      "invalid_config",
      'A fleet meets in PostgreSQL: fleetServices({ url: "postgres://user@host/database" }), the one of the ledger.',
    );
  }
  const opening = Effect.tryPromise({
    try: () => openSharedStore(options),
    catch: (error) => (ToolError.is(error) ? error : new LedgerError("ledger_unavailable", String(error))),
  });
  return Layer.effectContext(
    Effect.gen(function* () {
      const store = yield* Effect.acquireRelease(opening, (opened) => Effect.promise(() => opened.close()));
      const limits = yield* Effect.promise(() => openLimits(store));
      const pools = yield* Effect.promise(() => openCallPools(store));
      return Context.make(SharedLimits, limits).pipe(Context.add(CallPools, pools)) as Context.Context<never>;
    }),
  );
};
