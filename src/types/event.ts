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

/** Everything the bus carries. A call that started ends with exactly one of executed and failed. */
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
  /** `taints` are the tools whose untrusted words may be in the update: the tool's own, and those its code has read. */
  readonly "tools.progress": CallEvent & { readonly update: unknown; readonly taints: readonly string[] };
  readonly "tools.registered": { readonly toolName: string; readonly origin: ToolOrigin };
  readonly "tools.unregistered": { readonly toolName: string; readonly origin: ToolOrigin };
  /** A short name now resolves to `toolName`; `shadowed` is called by its full name; an internal one by `internal/` and its name. */
  readonly "tools.overridden": {
    readonly name: string;
    readonly toolName: string;
    readonly shadowed: string;
  };
  /** A tool was registered with a layer that can do nothing around it, and why. */
  readonly "tools.idle-layer": { readonly toolName: string; readonly layer: string; readonly reason: string };
  /** A tool was registered whose `parameters` have no description. A model chooses arguments by it. */
  readonly "tools.undescribed": { readonly toolName: string; readonly parameters: readonly string[] };
  /**
   * Untrusted content can be read in this runtime, and nothing says whether these tools carry data out or do harm: they have
   * no annotations. Once for each change of the list.
   */
  readonly "tools.unannotated": {
    readonly tools: readonly string[];
    readonly sources: readonly string[];
    readonly message: string;
  };
  /** An agent leaves the search for tools to its provider, and this model's has none: Haft's own search takes its place. */
  readonly "tools.search-fallback": { readonly agentName: string; readonly model: string };
  readonly "tools.mcp-connected": { readonly serverName: string; readonly tools: readonly string[] };
  readonly "tools.mcp-disconnected": { readonly serverName: string; readonly reason?: string };
  /** A rule, toolkit or right that cannot do what it says. Reported once, until it is fixed and comes back. */
  readonly "policy.problem": PolicyProblem;
}

/** The name of an event that `haft.on` takes. */
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
