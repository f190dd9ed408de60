import type { BindMode } from "../registry/library/binding.ts";
import type { CallContext } from "../types/call.ts";
import type { RepairMode } from "../types/hydration.ts";
import type { AnyLayer } from "../types/layer.ts";
import type { Message } from "../types/message.ts";
import type { Model, ModelSettings } from "../types/model.ts";
import type { Reply } from "../types/reply.ts";
import type { StopPolicy } from "./stop-policies.ts";
import type { LibrarySource } from "./to-library.ts";

/** How one run goes. What is left out comes from the agent, then from the runtime. */
export interface RunOptions {
  /** Code for the specs that the agent lists, by name. */
  readonly library?: LibrarySource;
  /** How well code must fit a spec that it did not come with; `compatible` unless named. */
  readonly bind?: BindMode;
  /** Replaces the model of the agent that the run starts with; agents it hands over to use it if they have none. */
  readonly model?: Model | string;
  /** Temperature and the like, in place of those of the agent. */
  readonly settings?: ModelSettings;
  /** The conversation so far: `context` of an earlier response. */
  readonly context?: readonly Message[];
  /** What became of calls that were pending in it: what `haft.resume` gave. */
  readonly replies?: readonly Reply[];
  /** Goes on with a run that waits for a person, or whose process ended: its id. The ledger knows the rest. */
  readonly resume?: string;
  /** Around each tool call, outside those of agents. */
  readonly layers?: readonly AnyLayer[];
  /** Around each model call, outside those of agents. */
  readonly modelLayers?: readonly AnyLayer[];
  /** How often a model may be asked; 10 unless named. */
  readonly maxTurns?: number;
  /** Asked after each turn; the first with a reason ends the run as `stopped`. */
  readonly stop?: StopPolicy | readonly StopPolicy[];
  /** How many calls of one turn run at once. */
  readonly maxConcurrency?: number;
  /** Whether arguments that cannot be used as they came are repaired, once; what is repaired and writes needs a person. */
  readonly repair?: RepairMode;
  /** Ends the run as `cancelled`: the model's request and running tools are aborted. */
  readonly signal?: AbortSignal;
  /** What of its caller's right the run may use, by name pattern: all of it unless named. */
  readonly allow?: readonly string[];
  /** Wins over `allow`. */
  readonly deny?: readonly string[];
  /** What layers and tools find in `call.env` and `ctx.env`. */
  readonly env?: unknown;
  /** The call from whose code the run is started: it has that call's caller, and both hear what the other heard. */
  readonly parent?: CallContext | undefined;
  /** Tools whose untrusted words are in what the agent is told. */
  readonly taints?: readonly string[] | undefined;
}

/** What of them somebody may say for many runs at once. */
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
