import * as Cause from "effect/Cause";
import * as Context from "effect/Context";
import * as Effect from "effect/Effect";
import * as Exit from "effect/Exit";
import * as ManagedRuntime from "effect/ManagedRuntime";
import type { AgentsService } from "../agent/agents.ts";
import { Credentials } from "../base/credentials/credentials.ts";
import { openOnce } from "../base/credentials/open-once.ts";
import { Tools } from "../pipeline/tools-service.ts";
import { Policy } from "../policy/engine.ts";
import { availabilityOf } from "../registry/offer/offer.ts";
import { offerCache } from "../registry/offer/offer-cache.ts";
import { Registry } from "../registry/tool-registry.ts";
import { observerOf } from "../types/call.ts";
import { Events } from "../types/event.ts";
import type { FleetRuns } from "../types/fleet.ts";
import { Ledger } from "../types/ledger.ts";
import { Configuration } from "./configuration.ts";
import type { HaftOptions } from "./haft-options.ts";
import { runtimeMcpServers } from "./mcp-servers.ts";
import type { PolicyWatcher } from "./policy-watcher.ts";
import type { SharedRuntime } from "./shared-runtime.ts";
import {
  type AnyHaftOptions,
  collectPipelineOptions,
  type ToolServices,
  toolRuntimeLayer,
} from "./tool-runtime-layer.ts";

export const openSharedRuntime = async (options: AnyHaftOptions): Promise<SharedRuntime> => {
  const { principal, layers = [] } = options;
  const runtime = ManagedRuntime.make(toolRuntimeLayer(options as never));
  const exit = await Effect.runPromiseExit(runtime.contextEffect);
  if (Exit.isFailure(exit)) throw Cause.squash(exit.cause);
  const { completeStore: withBooks } = await import("../ledger/complete-store.ts");
  const registry = Context.get(exit.value, Registry);
  const policy = Context.get(exit.value, Policy);
  const isAvailable = availabilityOf(layers);
  let fleet: FleetRuns | undefined;
  let policyWatch: PolicyWatcher | undefined;
  const shared: SharedRuntime = {
    tools: Context.get(exit.value, Tools),
    agents: openOnce(() => openAgents(exit.value, options)),
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
    mcp: runtimeMcpServers(async () =>
      (await import("./mcp-services.ts")).openMcpServices(exit.value, options.mcp, principal),
    ),
    offers: offerCache({ registry, policy, ...(isAvailable === undefined ? {} : { isAvailable }) }),
    openPrivateTools: async (own) =>
      (await import("./open-private-tools.ts")).openPrivateTools(
        exit.value,
        own,
        layers,
        () => !shared.closed,
      ),
    observer: observerOf(layers),
    get policyWatch() {
      return policyWatch!;
    },
    dispose: async () => {
      policyWatch?.close();
      await fleet?.close();
      await shared.mcp.close();
      await runtime.dispose();
    },
    inFlight: new Set(),
    closed: false,
  };
  try {
    const servers = options.mcp === undefined ? undefined : await shared.mcp.open();
    const { policyOptionsOf, watchPolicy } = await import("./policy-watcher.ts");
    policyWatch = await watchPolicy({
      registry,
      events: shared.events,
      policy: policyOptionsOf(options.policy, Context.get(exit.value, Configuration).security),
      principal,
      servers: () => shared.mcp.list(),
      ...(options.mcp?.servers === undefined ? {} : { configuredServers: options.mcp.servers }),
    });
    void servers?.whenTried.then(policyWatch.changed);
  } catch (error) {
    await shared.dispose();
    throw error;
  }
  return shared;
};

const openAgents = async (
  services: Context.Context<ToolServices>,
  options: Pick<HaftOptions, "model" | "principal" | "layers">,
): Promise<AgentsService> => {
  const { agentsService: agents } = await import("../agent/agents.ts");
  const optionsEffect = collectPipelineOptions([], () => true);
  const pipelineServices = await Effect.runPromise(Effect.provideContext(optionsEffect, services));
  const { model, principal, layers = [] } = options;
  return agents({
    services: pipelineServices,
    tools: Context.get(services, Tools),
    model,
    principal,
    isAvailable: availabilityOf(layers),
    observer: observerOf(layers),
  });
};
