import type * as Fiber from "effect/Fiber";
import type { AgentsService } from "../agent/agents.ts";
import type { CredentialStore } from "../base/credentials/credentials.ts";
import type { ToolsService } from "../pipeline/tools-service.ts";
import type { PolicyEngine } from "../policy/policy.ts";
import type { OfferCache } from "../registry/offer/offer-cache.ts";
import type { ToolRegistry } from "../registry/tool-registry.ts";
import type { EventBus } from "../types/event.ts";
import type { FleetRuns } from "../types/fleet.ts";
import type { LedgerStore } from "../types/ledger.ts";
import type { CallObserver } from "../types/observer.ts";
import type { RuntimeMcpServers } from "./mcp-servers.ts";
import type { PrivateTools } from "./open-private-tools.ts";
import type { PolicyWatcher } from "./policy-watcher.ts";

/** What every handle of one runtime shares. */
export interface SharedRuntime {
  readonly tools: ToolsService;
  /** Loaded with the first run: whoever runs no agent needs none of it. */
  readonly agents: () => Promise<AgentsService>;
  readonly registry: ToolRegistry;
  readonly policy: PolicyEngine;
  readonly events: EventBus;
  readonly ledger: LedgerStore;
  /** The address of the ledger, where it was opened by one. */
  readonly ledgerUrl: string | undefined;
  /** Runs that other processes go on with. */
  readonly fleet: FleetRuns | undefined;
  readonly credentials: CredentialStore;
  readonly mcp: RuntimeMcpServers;
  readonly offers: OfferCache;
  readonly policyWatch: PolicyWatcher;
  /** Opens tools that are in no registry of the runtime's. */
  readonly toolsBeside: (own: PrivateTools) => Promise<ToolsService>;
  /** Of the operator's layers, the one that watches. */
  readonly observer: CallObserver | undefined;
  readonly dispose: () => Promise<void>;
  /** Calls under way, which closing waits for. */
  readonly inFlight: Set<Fiber.Fiber<unknown, unknown>>;
  closed: boolean;
}

/** For rooms that build on a runtime; whoever only has a handle cannot get at it. */
export const sharedRuntimes = new WeakMap<object, SharedRuntime>();
