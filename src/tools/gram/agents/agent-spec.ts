import type { JsonSchema } from "../../../types/json.ts";
import type { ModelSettings } from "../../../types/model.ts";
import type { ToolSpec } from "../../../types/spec.ts";
import type { ToolSearchOptions } from "../../../types/tool-search.ts";
import type { Diagnostic } from "../format-diagnostic.ts";

/** An agent without its code, as frozen plain JSON. */
export interface AgentSpec {
  readonly name: string;
  readonly description?: string;
  readonly instructions: string;
  /** `provider/model-id`. */
  readonly model?: string;
  readonly settings?: ModelSettings;
  /** Specs, or names of registered tools; `"*"` for all visible ones. */
  readonly tools: readonly (ToolSpec | string)[];
  /** Shows the model only some tools and lets it search the others. */
  readonly toolSearch?: true | ToolSearchOptions;
  /** The result type of its runs, in JSON Schema. */
  readonly output?: JsonSchema;
  /** Names of the agents that it may hand off to. */
  readonly handoffs: readonly string[];
}

/** Selects the agent and resolves tools that the text only names. */
export interface ReadAgentOptions {
  /** The agent to read; the first one by default. */
  readonly agent?: string;
  /**
   * Finds a tool that the file names without defining. Undefined is reported as a problem; without `resolve`
   * the name is kept for the runtime.
   */
  readonly resolve?: (name: string) => ToolSpec | string | undefined;
}

/** The agents and tools of a text, or its problems. */
export type ReadAgentResult =
  | {
      readonly ok: true;
      readonly agent: AgentSpec;
      /** All agents of the file, in order. */
      readonly agents: readonly AgentSpec[];
      /** All tools that the file defines, inside agents or at top level. */
      readonly tools: readonly ToolSpec[];
    }
  | { readonly ok: false; readonly diagnostics: readonly Diagnostic[] };

/** The tools of a text, or its problems. */
export type ReadToolsResult =
  | { readonly ok: true; readonly tools: readonly ToolSpec[] }
  | { readonly ok: false; readonly diagnostics: readonly Diagnostic[] };
