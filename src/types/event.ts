import * as Context from "effect/Context";
import type { ApprovalRequest } from "./approval.ts";
import type { FailureCode } from "./failures.ts";
import type { PolicyProblem } from "./policy-problem.ts";
import type { ToolOrigin } from "./tool.ts";

interface CallEvent {
  readonly toolName: string;
  readonly callId: string;
  readonly entryId: string;
  readonly runId: string;
  readonly agentId: string | undefined;
  readonly sessionId: string | undefined;
}

/** All events of the bus. A started call ends with exactly one of `tools.executed` and `tools.failed`. */
export interface EventMap {
  readonly "tools.started": CallEvent;
  readonly "tools.executed": CallEvent & { readonly success: true; readonly executionTimeMs: number };
  readonly "tools.failed": CallEvent & {
    readonly success: false;
    readonly executionTimeMs: number;
    readonly code: FailureCode;
    readonly message: string;
  };
  readonly "tools.pending": CallEvent & { readonly approval: ApprovalRequest };
  /** `taints` are tools whose untrusted content the update may contain. */
  readonly "tools.progress": CallEvent & { readonly update: unknown; readonly taints: readonly string[] };
  readonly "tools.registered": { readonly toolName: string; readonly origin: ToolOrigin };
  readonly "tools.unregistered": { readonly toolName: string; readonly origin: ToolOrigin };
  /**
   * A short name now resolves to `toolName`; `shadowed` needs its full name, an internal tool the prefix
   * `internal/`.
   */
  readonly "tools.overridden": {
    readonly name: string;
    readonly toolName: string;
    readonly shadowed: string;
  };
  /** A registered tool has a layer that has no effect around it. */
  readonly "tools.idle-layer": { readonly toolName: string; readonly layer: string; readonly reason: string };
  /** A registered tool has `parameters` without a description, which models need to choose arguments. */
  readonly "tools.undescribed": { readonly toolName: string; readonly parameters: readonly string[] };
  /**
   * Untrusted content can be read in this runtime, and these tools have no annotations. Emitted once per
   * change of the list.
   */
  readonly "tools.unannotated": {
    readonly tools: readonly string[];
    readonly sources: readonly string[];
    readonly message: string;
  };
  /** An agent uses its provider's tool search, but the model has none, so Haft's search is used. */
  readonly "tools.search-fallback": { readonly agentName: string; readonly model: string };
  readonly "tools.mcp-connected": { readonly serverName: string; readonly tools: readonly string[] };
  readonly "tools.mcp-disconnected": { readonly serverName: string; readonly reason?: string };
  /**
   * A rule, toolkit or permission cannot have its intended effect. Reported once until it is fixed and
   * recurs.
   */
  readonly "policy.problem": PolicyProblem;
}

/** Event names that `haft.on` takes. */
export type EventName = keyof EventMap;

const eventNameTable: Readonly<Record<EventName, true>> = {
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
  "tools.unannotated": true,
  "tools.search-fallback": true,
  "tools.mcp-connected": true,
  "tools.mcp-disconnected": true,
  "policy.problem": true,
};

export const eventNames: readonly string[] = Object.freeze(Object.keys(eventNameTable));

/** Listener of `haft.on`. */
export type Listener<Name extends EventName> = (event: EventMap[Name]) => void;

/** An exception of a listener does not affect the call. */
export interface EventBus {
  readonly on: <Name extends EventName>(name: Name, listener: Listener<Name>) => () => void;
  readonly emit: <Name extends EventName>(name: Name, event: EventMap[Name]) => void;
  /** Whether the event has listeners, so that unused events are not built. */
  readonly isHeard: (name: EventName) => boolean;
}

/** Service that emits events about calls. */
export class Events extends Context.Service<Events, EventBus>()("haft/Events") {}
