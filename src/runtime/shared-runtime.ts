import type * as Fiber from "effect/Fiber";
import type { AgentsService } from "../agent/agents.ts";
import type { ToolsService } from "../call/tools-service.ts";
import type { Offers } from "../catalog/offer/offers.ts";
import type { ToolRegistry } from "../catalog/registry.ts";
import type { CredentialStore } from "../credentials/credentials.ts";
import type { PolicyEngine } from "../policy/policy.ts";
import type { EventBus } from "../words/event.ts";
import type { FleetRuns } from "../words/fleet.ts";
import type { LedgerStore } from "../words/ledger.ts";
import type { CallObserver } from "../words/observer.ts";
import type { OwnMcpDoor } from "./mcp-door.ts";
import type { ToolsBeside } from "./tools-beside.ts";

/** What every handle of one runtime shares. */
export interface Shared {
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
  readonly mcp: OwnMcpDoor;
  readonly offers: Offers;
  /** Opens tools that are in no registry of the runtime's. */
  readonly toolsBeside: (own: ToolsBeside) => Promise<ToolsService>;
  /** Of the operator's layers, the one that watches. */
  readonly observer: CallObserver | undefined;
  readonly dispose: () => Promise<void>;
  /** Calls under way, which closing waits for. */
  readonly inFlight: Set<Fiber.Fiber<unknown, unknown>>;
  closed: boolean;
}

/** For rooms that build on a runtime; whoever only has a handle cannot get at it. */
export const sharedBy = new WeakMap<object, Shared>();
