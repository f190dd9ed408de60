import type { BindMode } from "../registry/library/library-entry.ts";
import type { CallContext } from "../types/call.ts";
import type { RepairMode } from "../types/hydration.ts";
import type { Message } from "../types/message.ts";
import type { Model, ModelSettings } from "../types/model.ts";
import type { Reply } from "../types/outcome.ts";
import type { AnyLayer } from "../types/tool.ts";
import type { StopPolicy } from "./stop-policies.ts";
import type { LibrarySource } from "./to-library.ts";

/** Options of `haft.run`. Defaults come from the agent, then from the runtime. */
export interface RunOptions {
  /** Implementations by name for the agent's specs. */
  readonly library?: LibrarySource;
  /** How closely code must fit a spec of another source. Unless set: `compatible`. */
  readonly bind?: BindMode;
  /** Replaces the model of the first agent; other agents use it if they have none. */
  readonly model?: Model | string;
  /** Replaces the agent's model settings. */
  readonly settings?: ModelSettings;
  /** The conversation so far: `context` of an earlier response. */
  readonly context?: readonly Message[];
  /** Replies to its pending calls, from `haft.resume`. */
  readonly replies?: readonly Reply[];
  /** Id of a run to resume, which was pending or whose process ended. */
  readonly resume?: string;
  /** Layers around each tool call, outside those of agents. */
  readonly layers?: readonly AnyLayer[];
  /** Layers around each model call, outside those of agents. */
  readonly modelLayers?: readonly AnyLayer[];
  /** Maximum number of model requests. Unless set: 10. */
  readonly maxTurns?: number;
  /** Checked after each turn; the first policy with a reason ends the run as `stopped`. */
  readonly stop?: StopPolicy | readonly StopPolicy[];
  /** Maximum number of parallel calls per turn. */
  readonly maxConcurrency?: number;
  /** Whether unusable arguments are repaired once. Repaired calls that write require approval. */
  readonly repair?: RepairMode;
  /** Cancels the run, including its model request and running tools. */
  readonly signal?: AbortSignal;
  /** Restricts the caller's tools by name pattern. Unless set: no restriction. */
  readonly allow?: readonly string[];
  /** Overrides `allow`. */
  readonly deny?: readonly string[];
  /** Available as `call.env` and `ctx.env`. */
  readonly env?: unknown;
  /** The call whose code starts the run. The run inherits its caller, and both share taints. */
  readonly parent?: CallContext | undefined;
  /** Tools whose untrusted content the input contains. */
  readonly taints?: readonly string[] | undefined;
}

export const commonRunFields = [
  "library",
  "bind",
  "model",
  "settings",
  "layers",
  "modelLayers",
  "maxTurns",
  "stop",
  "maxConcurrency",
  "repair",
  "env",
] as const satisfies readonly (keyof RunOptions)[];
