import type { ApprovalRequest } from "./approval.ts";
import type { RawCall } from "./call.ts";
import type { Change } from "./hydration.ts";
import type { JsonSchema } from "./json.ts";
import type { RunPlan } from "./lineage.ts";
import type { ContentPart, Message } from "./message.ts";
import type { Model, ModelSettings, OmittedPart, Usage } from "./model.ts";
import type { AnyLayer, AnyTool, Implementation, ToolSpec, Validator } from "./tool.ts";
import type { ToolSearchOptions } from "./tool-search.ts";

/** The format of an agent's answer. The answer is validated like the arguments of a call to `spec`. */
export interface OutputFormat<Output = unknown> {
  readonly schema: JsonSchema;
  readonly spec: ToolSpec;
  readonly validate: Validator;
  readonly wrappedAs?: string;
  readonly type?: Output;
}

/** An agent: model, instructions, tools and handoffs. */
export interface Agent<Output = unknown> {
  readonly name: string;
  readonly description?: string;
  readonly instructions: string;
  /** A model, or `provider/model-id`. Unless set: the model of the run or the runtime. */
  readonly model?: Model | string;
  readonly settings?: ModelSettings;
  /** Specs to be bound at run time, tools, or names known to the runtime; `"*"` is every visible tool. */
  readonly tools: readonly (ToolSpec | AnyTool | string)[];
  /** Shows the model few tools and lets it search the others. Unless set: all tools are shown. */
  readonly toolSearch?: true | ToolSearchOptions;
  /** Format of the answer of its runs, also after a handoff. Unless set: text. */
  readonly output?: OutputFormat<Output>;
  /** Agents it may hand off to; functions allow cycles. */
  readonly handoffs: readonly (Agent | (() => Agent))[];
  /** Layers around each tool call, inside those of the run. */
  readonly layers: readonly AnyLayer[];
  /** Layers around each model call. */
  readonly modelLayers: readonly AnyLayer[];
  /** Returns the agent with more layers around its tool calls; the last one is outermost. */
  readonly layer: (...layers: readonly AnyLayer[]) => Agent<Output>;
}

export const handoffsOf = ({ handoffs }: Pick<Agent, "handoffs">): readonly Agent[] =>
  handoffs.map((each) => (typeof each === "function" ? each() : each));

/** Implementations by name. An agent's specs are bound to them at run time. */
export interface Library {
  readonly lookup: (name: string) => AnyTool | Implementation | undefined;
}

/** One tool call of the agent, in the order of the conversation. */
export interface ToolInvocation {
  readonly name: string;
  readonly callId: string;
  readonly agent: string;
  readonly arguments: unknown;
  readonly ok: boolean;
  readonly result?: unknown;
  /** Media that came with the result. */
  readonly parts?: readonly ContentPart[];
  /** The error text that the model read. */
  readonly error?: string;
  /** For operators: the reason, if the model received less. */
  readonly reason?: string;
}

/** Input of a run: text, parts, or messages. */
export type RunInput = string | readonly ContentPart[] | readonly Message[];

/** How a run ended, or `pending` if it waits for approval. */
export type RunStatus = "done" | "pending" | "stopped" | "cancelled" | "failed";

/** Result of a run. */
export interface AgentResponse<Output = unknown> {
  /** The final text of the model, or of a tool that returned `final(…)`. */
  readonly content: string;
  /** The validated answer of an agent with an `output`; set exactly if the run is `done`. */
  readonly output?: Output;
  /** Repairs that made the model's answer fit the format. */
  readonly outputChanges?: readonly Change[];
  /** Media of the final message. */
  readonly parts?: readonly ContentPart[];
  /** Parts of the conversation that a model received as text only. `message` is an index into `context`. */
  readonly losses?: readonly (OmittedPart & { readonly model: string })[];
  /** All calls, including refused and failed ones; see `ok`. */
  readonly toolsUsed: readonly ToolInvocation[];
  /**
   * `pending` waits for the approvals in `pending`; `haft.run(agent, undefined, { resume: runId })` continues
   * the run.
   */
  readonly status: RunStatus;
  /** Why the status is not `done`. */
  readonly reason?: string;
  /** The last agent, with which a conversation continues. */
  readonly agent: string;
  /** The whole conversation. It always passes `validateConversation`. */
  readonly context: readonly Message[];
  /** Open approval requests. */
  readonly pending: readonly ApprovalRequest[];
  /** Total of all turns. */
  readonly usage: Usage;
  /** Number of model calls. */
  readonly turns: number;
  /** Id of the run in the ledger; `resume` takes it. */
  readonly runId: string;
}

/** An event of a streamed run. */
export type AgentEvent =
  | { readonly kind: "text"; readonly agent: string; readonly text: string }
  /** The part of the structured answer that the model has written so far; not validated. */
  | { readonly kind: "output"; readonly agent: string; readonly value: unknown }
  /** Reasoning text of the model, if its provider reveals it. */
  | { readonly kind: "reasoning"; readonly agent: string; readonly text: string }
  /** The model received a part as text only. `message` is an index into `context` of the response. */
  | { readonly kind: "loss"; readonly agent: string; readonly loss: OmittedPart & { readonly model: string } }
  /** The model is called again; discard the text of this turn so far. */
  | { readonly kind: "reset"; readonly agent: string; readonly reason: string }
  /** The model has finished its message, and these calls are about to run. */
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
  /** The sinks and private reads that the run will use; others need approval. */
  | { readonly kind: "plan"; readonly agent: string; readonly plan: RunPlan }
  /** The turn is complete: the model has finished, and all its calls are answered. */
  | {
      readonly kind: "turn";
      readonly turn: number;
      readonly agent: string;
      readonly invocations: readonly ToolInvocation[];
    }
  | { readonly kind: "handoff"; readonly from: string; readonly to: string }
  /** Total of the run so far. */
  | { readonly kind: "usage"; readonly usage: Usage }
  | { readonly kind: "done"; readonly response: AgentResponse };
