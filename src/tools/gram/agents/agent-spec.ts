import type { JsonSchema } from "../../../types/json.ts";
import type { ModelSettings } from "../../../types/model.ts";
import type { ToolSpec } from "../../../types/spec.ts";
import type { ToolSearchOptions } from "../../../types/tool-search.ts";
import type { Diagnostic } from "../format-diagnostic.ts";

/** What can be written of an agent: everything but code. Frozen plain JSON. */
export interface AgentSpec {
  readonly name: string;
  readonly description?: string;
  readonly instructions: string;
  /** `provider/model-id`. */
  readonly model?: string;
  readonly settings?: ModelSettings;
  /** Specs, or names that the runtime knows; `"*"` is all it may see. */
  readonly tools: readonly (ToolSpec | string)[];
  /** Shows its model few of its tools, and lets it search the others. */
  readonly toolSearch?: true | ToolSearchOptions;
  /** What its runs answer with, in JSON Schema. */
  readonly output?: JsonSchema;
  /** Names of the agents it may hand over to. */
  readonly handoffs: readonly string[];
}

/** Which agent `readAgent` takes, and how it finds tools that the text only names. */
export interface ReadAgentOptions {
  /** Which of a file's agents is meant; without it, the first. */
  readonly agent?: string;
  /**
   * Finds a tool that the file refers to and does not define. What it does not find is a mistake of the file;
   * without it such a tool stays a name, for the runtime to know.
   */
  readonly resolve?: (name: string) => ToolSpec | string | undefined;
}

/** What `readAgent` made of a text: agents and tools, or what is wrong with it. */
export type ReadAgentResult =
  | {
      readonly ok: true;
      readonly agent: AgentSpec;
      /** All that the file holds, in its order. */
      readonly agents: readonly AgentSpec[];
      /** All that the file defines, inside of agents and beside them. */
      readonly tools: readonly ToolSpec[];
    }
  | { readonly ok: false; readonly diagnostics: readonly Diagnostic[] };

/** What `readTools` made of a text: specs, or what is wrong with it. */
export type ReadToolsResult =
  | { readonly ok: true; readonly tools: readonly ToolSpec[] }
  | { readonly ok: false; readonly diagnostics: readonly Diagnostic[] };
