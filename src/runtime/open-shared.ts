import * as Cause from "effect/Cause";
import * as Context from "effect/Context";
import * as Effect from "effect/Effect";
import * as Exit from "effect/Exit";
import * as ManagedRuntime from "effect/ManagedRuntime";
import { Tools } from "../call/tools-service.ts";
import { opennessBy } from "../catalog/offer/available.ts";
import { offers } from "../catalog/offer/offers.ts";
import { Registry } from "../catalog/registry.ts";
import { Credentials } from "../credentials/credentials.ts";
import { onFirstUse } from "../credentials/on-first-use.ts";
import { Policy } from "../policy/engine.ts";
import { Events } from "../words/event.ts";
import type { FleetRuns } from "../words/fleet.ts";
import { Ledger } from "../words/ledger.ts";
import { observerOf } from "../words/observer.ts";
import { type AnyOptions, toolRuntimeLayer } from "./live.ts";
import { mcpDoor } from "./mcp-door.ts";
import { openAgents } from "./open-agents.ts";
import type { Shared } from "./shared.ts";

/** Opens what every handle of one runtime shares. The options were checked, and the principal was read. */
export const openShared = async (options: AnyOptions): Promise<Shared> => {
  const { principal, layers = [] } = options;
  const runtime = ManagedRuntime.make(toolRuntimeLayer(options as never));
  const exit = await Effect.runPromiseExit(runtime.contextEffect);
  if (Exit.isFailure(exit)) throw Cause.squash(exit.cause);
  const { withBooks } = await import("../ledger/with-books.ts");
  const registry = Context.get(exit.value, Registry);
  const policy = Context.get(exit.value, Policy);
  const isAvailable = opennessBy(layers);
  let fleet: FleetRuns | undefined;
  const shared: Shared = {
    tools: Context.get(exit.value, Tools),
    agents: onFirstUse(() => openAgents(exit.value, options)),
    registry,
    policy,
    events: Context.get(exit.value, Events),
    ledger: withBooks(Context.get(exit.value, Ledger)),
    ledgerUrl: typeof options.ledger === "string" ? options.ledger : undefined,
    get fleet() {
      fleet ??= options.fleet?.open(shared);
      return fleet;
    },
    credentials: Context.get(exit.value, Credentials),
    mcp: mcpDoor(async () => (await import("./mcp.ts")).openMcp(exit.value, options.mcp, principal)),
    offers: offers({ registry, policy, ...(isAvailable === undefined ? {} : { isAvailable }) }),
    toolsBeside: async (own) =>
      (await import("./tools-beside.ts")).openToolsBeside(exit.value, own, layers, () => !shared.closed),
    observer: observerOf(layers),
    dispose: async () => {
      await fleet?.close();
      await shared.mcp.close();
      await runtime.dispose();
    },
    inFlight: new Set(),
    closed: false,
  };
  if (options.mcp !== undefined) {
    await shared.mcp.open().catch(async (error) => {
      await runtime.dispose();
      throw error;
    });
  }
  return shared;
};
