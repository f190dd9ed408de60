import * as Layer from "effect/Layer";
import { currentCall } from "../call/current-call.ts";
import { taintsReadBy } from "../call/tools.ts";
import { checkFields } from "../json/check-fields.ts";
import { hasSharedKey } from "../ledger/beside/shared-store.ts";
import { type Shared, sharedBy } from "../runtime/shared.ts";
import { ConfigurationError } from "../words/errors.ts";
import type { Fleet, FleetRuns } from "../words/fleet.ts";
import type { Principal } from "../words/principal.ts";
import { type Connection, connect, type FleetOptions } from "./connect.ts";
import { sharedServices } from "./fleet-services.ts";
import { followRun } from "./follow.ts";
import { isPostgresUrl } from "./queue.ts";
import { runWakerLayer } from "./run-waker.ts";
import { type Submitter, submitRun } from "./submit.ts";
import { cancelRun, waitFor } from "./wait.ts";

const optionsOf = new WeakMap<FleetRuns, FleetOptions>();

/**
 * Makes a runtime one of many: it submits runs that workers go on with, calls tools in pools, and keeps the limits and
 * breakers of all. `Haft.open({ ledger: "postgres://…", fleet: fleet() })`.
 */
export const fleet = (options: FleetOptions = {}): Fleet => {
  checkFields("fleet", options, ["url", "schema", "shares", "connections"]);
  checkShares(options.shares);
  return {
    open: (runtime) => {
      const runs = openRuns(runtime as Shared, options);
      optionsOf.set(runs, options);
      return runs;
    },
    services: (ledgerUrl) => {
      const url = options.url ?? ledgerUrl;
      if (!isPostgresUrl(url)) return Layer.empty;
      const waker = runWakerLayer({ url, schema: options.schema });
      // Without a key to seal with, calls are told what is missing.
      return hasSharedKey() ? Layer.merge(waker, sharedServices({ url })) : waker;
    },
  };
};

/** The runtime of a handle and how it takes part in a fleet, for workers. */
export const fleetOf = (haft: object): { readonly shared: Shared; readonly options: FleetOptions } => {
  const shared = sharedBy.get(haft);
  if (shared === undefined) throw refused("A worker needs a runtime: what Haft.open gave.");
  const options = shared.fleet && optionsOf.get(shared.fleet);
  if (options !== undefined) return { shared, options };
  throw refused(
    'A worker needs a runtime of a fleet: Haft.open({ ledger: "postgres://…", fleet: fleet() }).',
  );
};

const openRuns = (shared: Shared, options: FleetOptions): FleetRuns => {
  let connected: Promise<Connection> | undefined;
  let isClosed = false;
  const connection = (): Promise<Connection> => {
    if (isClosed) return Promise.reject(refused("This runtime was closed."));
    connected ??= connect(shared, options).catch((error) => {
      connected = undefined;
      throw error;
    });
    return connected;
  };
  return {
    submit: async (given, agent, input, options) => {
      const submitter = callerOf(shared, given);
      return submitRun(await connection(), submitter, agent, input, options);
    },
    wait: async (given, runId, options) => {
      const { principal } = callerOf(shared, given);
      return waitFor(await connection(), principal, runId, options);
    },
    follow: (given, runId, options) => {
      const { principal } = callerOf(shared, given);
      return (async function* () {
        yield* followRun(await connection(), principal, runId, options);
      })();
    },
    cancel: async (given, runId, by) => {
      const { principal } = callerOf(shared, given);
      return cancelRun(await connection(), principal, runId, by);
    },
    close: async () => {
      isClosed = true;
      await connected?.then(
        (open) => open.close(),
        () => {},
      );
    },
  };
};

/** From inside a tool's code that tool's caller, and what the code has read. */
const callerOf = ({ tools }: Shared, given: Principal | undefined): Submitter => {
  const call = currentCall();
  if (call === undefined || !tools.isOwn(call)) return { principal: given, taints: [] };
  return { principal: given ?? call.principal, taints: taintsReadBy(call) };
};

const checkShares = (shares: FleetOptions["shares"] = {}): void => {
  for (const [tenant, share] of Object.entries(shares)) {
    if (typeof share === "number" && share >= 0.01 && share <= 1_000) continue;
    throw refused(`The share of "${tenant}" must be a number from 0.01 to 1,000.`);
  }
};

const refused = (message: string): ConfigurationError => new ConfigurationError("invalid_config", message);
