import type * as Fiber from "effect/Fiber";
import type { AgentsService } from "../agent/agents.ts";
import type { CredentialStore } from "../base/credentials/credentials.ts";
import type { ToolsService } from "../pipeline/tools-service.ts";
import type { PolicyEngine } from "../policy/engine.ts";
import type { OfferCache } from "../registry/offer/offer-cache.ts";
import type { ToolRegistry } from "../registry/tool-registry.ts";
import type { CallObserver } from "../types/call.ts";
import type { EventBus } from "../types/event.ts";
import type { FleetRuns } from "../types/fleet.ts";
import type { LedgerStore } from "../types/ledger.ts";
import type { AnyTool } from "../types/tool.ts";
import type { RuntimeMcpServers } from "./mcp-servers.ts";
import type { PolicyWatcher } from "./policy-watcher.ts";

export interface SharedRuntime {
  readonly tools: ToolsService;
  readonly agents: () => Promise<AgentsService>;
  readonly registry: ToolRegistry;
  readonly policy: PolicyEngine;
  readonly events: EventBus;
  readonly ledger: LedgerStore;
  readonly ledgerUrl: string | undefined;
  readonly fleet: FleetRuns | undefined;
  readonly credentials: CredentialStore;
  readonly mcp: RuntimeMcpServers;
  readonly offers: OfferCache;
  readonly policyWatch: PolicyWatcher;
  readonly openPrivateTools: (own: readonly AnyTool[]) => Promise<ToolsService>;
  readonly observer: CallObserver | undefined;
  readonly dispose: () => Promise<void>;
  /** Running fibers, which `close` awaits. */
  readonly inFlight: Set<Fiber.Fiber<unknown, unknown>>;
  closed: boolean;
}

/** For modules on top of a runtime; not reachable through a `Haft` handle. */
export const sharedRuntimes = new WeakMap<object, SharedRuntime>();
