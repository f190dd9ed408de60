import type { BindMode } from "../catalog/library/binding.ts";
import type { RepairMode } from "../words/hydration.ts";
import type { AnyLayer } from "../words/layer.ts";
import type { Message } from "../words/message.ts";
import type { Model, ModelSettings } from "../words/model.ts";
import type { Reply } from "../words/reply.ts";
import type { LibrarySource } from "./library.ts";
import type { StopPolicy } from "./stop.ts";

/** How one run goes. What is left out comes from the agent, then from the runtime. */
export interface RunOptions {
  readonly library?: LibrarySource;
  /** How well code must fit a spec that it did not come with; `compatible` unless named. */
  readonly bind?: BindMode;
  readonly model?: Model | string;
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
  readonly stop?: StopPolicy | readonly StopPolicy[];
  readonly maxConcurrency?: number;
  readonly repair?: RepairMode;
  readonly signal?: AbortSignal;
  /** What of its caller's right the run may use, by name pattern: all of it unless named. */
  readonly allow?: readonly string[];
  readonly deny?: readonly string[];
  readonly env?: unknown;
}
