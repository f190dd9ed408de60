import type { ApprovalRequest } from "./approval.ts";
import type { RawCall } from "./call.ts";
import type { ContentPart } from "./content.ts";
import type { Change } from "./hydration.ts";
import type { JsonSchema } from "./json.ts";
import type { AnyLayer } from "./layer.ts";
import type { Message } from "./message.ts";
import type { Model, ModelSettings, OmittedPart, Usage } from "./model.ts";
import type { ToolSpec } from "./spec.ts";
import type { AnyTool, Implementation } from "./tool.ts";
import type { ToolSearchOptions } from "./tool-search.ts";
import type { Validator } from "./validator.ts";

/**
 * What an agent must answer with. It is written as a spec, and an answer is read like the arguments of a call to it, by
 * the rules of stage 1.
 */
export interface OutputFormat<Output = unknown> {
  /** As its author wrote it, in JSON Schema. */
  readonly schema: JsonSchema;
  /** As a model is asked for it. */
  readonly spec: ToolSpec;
  readonly validate: Validator;
  /** The answer is no object, so a model puts it into one, under this name. */
  readonly wrappedAs?: string;
  /** The type of the answer. Never there. */
  readonly type?: Output;
}

/** Who answers, with which model, by which instructions, and with which tools. */
export interface Agent<Output = unknown> {
  readonly name: string;
  readonly description?: string;
  readonly instructions: string;
  /** A model, or `provider/model-id`. Without one, whatever the run or the runtime names. */
  readonly model?: Model | string;
  readonly settings?: ModelSettings;
  /** Specs to be bound late, whole tools, or names that the runtime knows; `"*"` is all it may see. */
  readonly tools: readonly (ToolSpec | AnyTool | string)[];
  /** Shows its model few of its tools, and lets it search the others. Unless set: all are shown. */
  readonly toolSearch?: true | ToolSearchOptions;
  /** What its runs answer with, whoever of its handoffs speaks last. Unless set: text. */
  readonly output?: OutputFormat<Output>;
  /** Agents it may hand over to; a function where they hand over to each other. */
  readonly handoffs: readonly (Agent | (() => Agent))[];
  /** Around each tool call, inside those of the run. */
  readonly layers: readonly AnyLayer[];
  /** Around each model call. */
  readonly modelLayers: readonly AnyLayer[];
  /** Wraps the agent's tool calls: of several layers the last named is outermost. */
  readonly layer: (...layers: readonly AnyLayer[]) => Agent<Output>;
}

export const handoffsOf = ({ handoffs }: Pick<Agent, "handoffs">): readonly Agent[] =>
  handoffs.map((each) => (typeof each === "function" ? each() : each));

/** Code by name, to which an agent's specs are bound when it runs. */
export interface Library {
  readonly lookup: (name: string) => AnyTool | Implementation | undefined;
}

/** One call the agent made, in the order of the conversation. */
export interface ToolInvocation {
  readonly name: string;
  readonly callId: string;
  readonly agent: string;
  readonly arguments: unknown;
  readonly ok: boolean;
  readonly result?: unknown;
  /** Media that came with the result. */
  readonly parts?: readonly ContentPart[];
  /** What the model was told instead of a result. */
  readonly error?: string;
  /** For operators: why there is no result, where the model was told less. */
  readonly reason?: string;
}

/** What a run answers: a text, a text with pictures and files, or messages. */
export type RunInput = string | readonly ContentPart[] | readonly Message[];

/** How a run ended, or that it waits for a person. */
export type RunStatus = "done" | "pending" | "stopped" | "cancelled" | "failed";

/** What came of a run. */
export interface AgentResponse<Output = unknown> {
  /** The last words, of the model or of a tool that answered with `final(…)`. */
  readonly content: string;
  /** The answer of an agent with an `output`, validated. There whenever such a run is `done`, and never otherwise. */
  readonly output?: Output;
  /** What was changed in the model's answer so that it fits, where it had to be repaired. */
  readonly outputChanges?: readonly Change[];
  /** Media that belong to the last words: what the model made, or what such a tool gave. */
  readonly parts?: readonly ContentPart[];
  /** Parts of the conversation that a model of the run was told of in words only. `message` counts in `context`. */
  readonly losses?: readonly (OmittedPart & { readonly model: string })[];
  /** Also calls that were refused or failed: `ok` says which. */
  readonly toolsUsed: readonly ToolInvocation[];
  /** `pending` waits for the persons in `pending`; then `haft.run(agent, undefined, { resume: runId })` goes on. */
  readonly status: RunStatus;
  /** Why it is not `done`. */
  readonly reason?: string;
  /** The agent that spoke last: a conversation goes on with it. */
  readonly agent: string;
  /** The whole conversation, to go on with. Always passes `validateConversation`. */
  readonly context: readonly Message[];
  /** What persons must answer before the run can go on. */
  readonly pending: readonly ApprovalRequest[];
  /** Of all turns together. */
  readonly usage: Usage;
  /** How often a model was asked. */
  readonly turns: number;
  /** What the ledger knows the run by, and `resume` takes. */
  readonly runId: string;
}

/** What a streamed run tells while it goes on. */
export type AgentEvent =
  | { readonly kind: "text"; readonly agent: string; readonly text: string }
  /** As much of the answer as the model has written, of an agent with an `output`. Held against nothing yet. */
  | { readonly kind: "output"; readonly agent: string; readonly value: unknown }
  /** What the model thinks, where its provider shows it. */
  | { readonly kind: "reasoning"; readonly agent: string; readonly text: string }
  /** The model was told of a part in words only. `message` counts in `context` of the response. */
  | { readonly kind: "loss"; readonly agent: string; readonly loss: OmittedPart & { readonly model: string } }
  /** The model is asked once more: the text of this turn so far is void. */
  | { readonly kind: "reset"; readonly agent: string; readonly reason: string }
  /** The model has spoken, and these calls of it are about to be answered. */
  | { readonly kind: "calls"; readonly agent: string; readonly calls: readonly RawCall[] }
  | { readonly kind: "call-start"; readonly callId: string; readonly tool: string }
  | {
      readonly kind: "call-progress";
      readonly callId: string;
      readonly tool: string;
      readonly update: unknown;
    }
  | {
      readonly kind: "call-end";
      readonly callId: string;
      readonly tool: string;
      readonly ok: boolean;
      readonly durationMs: number;
      readonly error?: string;
    }
  | { readonly kind: "approval"; readonly request: ApprovalRequest }
  /** The model has spoken, and every call it made is answered. */
  | {
      readonly kind: "turn";
      readonly turn: number;
      readonly agent: string;
      readonly invocations: readonly ToolInvocation[];
    }
  | { readonly kind: "handoff"; readonly from: string; readonly to: string }
  /** Of the whole run so far. */
  | { readonly kind: "usage"; readonly usage: Usage }
  | { readonly kind: "done"; readonly response: AgentResponse };
