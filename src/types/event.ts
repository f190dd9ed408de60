import * as Context from "effect/Context";
import type { ApprovalRequest } from "./approval.ts";
import type { FailureCode } from "./failures.ts";
import type { Origin } from "./tool.ts";

interface OfCall {
  readonly toolName: string;
  readonly callId: string;
  readonly entryId: string;
  readonly runId: string;
  readonly agentId: string | undefined;
  readonly sessionId: string | undefined;
}

/** Everything the bus carries. A call that started ends with exactly one of executed and failed. */
export interface EventMap {
  readonly "tools.started": OfCall;
  readonly "tools.executed": OfCall & { readonly success: true; readonly executionTimeMs: number };
  readonly "tools.failed": OfCall & {
    readonly success: false;
    readonly executionTimeMs: number;
    readonly code: FailureCode;
    readonly message: string;
  };
  readonly "tools.pending": OfCall & { readonly approval: ApprovalRequest };
  /** `taints` are the tools whose untrusted words may be in the update: the tool's own, and those its code has read. */
  readonly "tools.progress": OfCall & { readonly update: unknown; readonly taints: readonly string[] };
  readonly "tools.registered": { readonly toolName: string; readonly origin: Origin };
  readonly "tools.unregistered": { readonly toolName: string; readonly origin: Origin };
  /** A short name now resolves to `toolName`; `shadowed` answers only to its full name. */
  readonly "tools.overridden": {
    readonly name: string;
    readonly toolName: string;
    readonly shadowed: string;
  };
  /** A tool was registered with a layer that can do nothing around it, and why. */
  readonly "tools.idle-layer": { readonly toolName: string; readonly layer: string; readonly reason: string };
  /** A tool was registered whose `parameters` have no description. A model chooses arguments by it. */
  readonly "tools.undescribed": { readonly toolName: string; readonly parameters: readonly string[] };
  /** An agent leaves the search for tools to its provider, and this model's has none: Haft's own search takes its place. */
  readonly "tools.search-fallback": { readonly agentName: string; readonly model: string };
  readonly "tools.mcp-connected": { readonly serverName: string; readonly tools: readonly string[] };
  readonly "tools.mcp-disconnected": { readonly serverName: string; readonly reason?: string };
}

/** The name of an event that `haft.on` takes. */
export type EventName = keyof EventMap;

const named: Readonly<Record<EventName, true>> = {
  "tools.started": true,
  "tools.executed": true,
  "tools.failed": true,
  "tools.pending": true,
  "tools.progress": true,
  "tools.registered": true,
  "tools.unregistered": true,
  "tools.overridden": true,
  "tools.idle-layer": true,
  "tools.undescribed": true,
  "tools.search-fallback": true,
  "tools.mcp-connected": true,
  "tools.mcp-disconnected": true,
};

export const eventNames: readonly string[] = Object.freeze(Object.keys(named));

/** What `haft.on` calls with each event of a name. */
export type Listener<Name extends EventName> = (event: EventMap[Name]) => void;

/** A listener that throws is on its own: the call it watched goes on. */
export interface EventBus {
  readonly on: <Name extends EventName>(name: Name, listener: Listener<Name>) => () => void;
  readonly emit: <Name extends EventName>(name: Name, event: EventMap[Name]) => void;
  /** Whether anybody listens, so that nobody builds an event for an empty room. */
  readonly isHeard: (name: EventName) => boolean;
}

/** The service that tells listeners what happens to calls. */
export class Events extends Context.Service<Events, EventBus>()("haft/Events") {}
