import * as Effect from "effect/Effect";
import type { OfferedTool } from "../models/dialects/exporter.ts";
import { fitMedia } from "../models/dialects/media/fit-media.ts";
import { toModelError } from "../models/to-model-error.ts";
import type { PipelineOptions } from "../pipeline/call-state.ts";
import { readRawCall } from "../pipeline/current-call.ts";
import { retry } from "../pipeline/layers/retry.ts";
import { createPipeline, type ToolPipeline } from "../pipeline/pipeline.ts";
import type { GuardedPolicy } from "../policy/guard-policy.ts";
import { toolRegistry } from "../registry/tool-registry.ts";
import { tool } from "../tools/tool.ts";
import { runImplementation } from "../tools/tool-definition.ts";
import { type CallContext, type CallRequest, modelKeyOf, type RunScope } from "../types/call.ts";
import { ModelError, ToolError } from "../types/errors.ts";
import type { Failure } from "../types/failure.ts";
import type { ContentPart, Message } from "../types/message.ts";
import type {
  Model,
  ModelReply,
  ModelRequest,
  ModelSettings,
  ModelTool,
  OmittedPart,
} from "../types/model.ts";
import { failed, type Outcome, withMedia } from "../types/outcome.ts";
import type { Principal } from "../types/principal.ts";
import type { LayerScopes, Registration, ToolLayer } from "../types/tool.ts";
import {
  failedModelCall,
  type ModelCallResult,
  summarizeModelRows,
  toModelCallResult,
} from "./model-call-result.ts";

export interface ModelInvocation {
  readonly model: Model;
  readonly messages: readonly Message[];
  readonly listed: readonly OfferedTool[];
  readonly settings: ModelSettings | undefined;
  readonly output: ModelTool | undefined;
  readonly layers: LayerScopes;
  readonly scope: RunScope;
  readonly principal: Principal | undefined;
  readonly env: unknown;
  readonly entryId: string;
  /** Set for an external loop, which retries by itself. */
  readonly askedBy?: Model["generate"] | undefined;
  readonly listener: ModelListener | undefined;
}

export interface ModelListener {
  readonly onText: (text: string) => void;
  readonly onReasoning: (text: string) => void;
  readonly onReset: (reason: string) => void;
}

export type ModelCaller = (asking: ModelInvocation) => Effect.Effect<ModelCallResult>;

/**
 * Model requests are calls through a separate pipeline. The caller was authorized before, so policy always
 * allows them.
 */
export const modelCaller = (services: PipelineOptions): ModelCaller => {
  const questions = new OpenModelCalls();
  const own = createPipeline({
    ...services,
    registry: toolRegistry({ maxTools: 0 }),
    policy: allowAllPolicy,
    layers: [],
    events: silentEvents,
    ledger: summarizeModelRows(services.ledger, (entryId) => questions.isOfLoop(entryId)),
    settings: { ...services.settings, ...modelCallLimits },
  });
  return (asking) => callModel(own, questions, asking);
};

const callModel = (
  own: ToolPipeline,
  questions: OpenModelCalls,
  invocation: ModelInvocation,
): Effect.Effect<ModelCallResult> => {
  const { model, principal, scope } = invocation;
  const caller = principal ?? { agent: scope.agent ?? "nobody" };
  const request = toRequest(invocation, questions.toolOf(invocation), caller);
  const asked = Effect.flatMap(own.call(request), (reply) => {
    // A model request cannot stay pending, so its approval request is withdrawn.
    if (reply.pending !== undefined) {
      const settled = own.resume(reply.pending.id, unansweredDenial, { principal: caller });
      return Effect.as(Effect.ignore(settled), failedModelCall(noReplyFailure(model.id)));
    }
    const answer =
      reply.failure === undefined
        ? toModelCallResult(model.id, reply.value, reply.parts)
        : failedModelCall(toModelFailure(model.id, reply.failure));
    if (answer.ok) questions.hearAnswer(invocation, answer.reply.text);
    return Effect.succeed(answer);
  });
  return Effect.suspend(() => {
    questions.open(invocation);
    return Effect.ensuring(
      asked,
      Effect.sync(() => questions.close(invocation)),
    );
  });
};

const toRequest = (
  invocation: ModelInvocation,
  registration: Registration,
  caller: Principal,
): CallRequest => {
  const { messages, settings, scope, env, entryId, layers } = invocation;
  const input = { messages, settings: settings ?? {} };
  return Object.freeze({
    raw: readRawCall({ id: entryId, tool: registration.key, input }, modelCallLimits.json),
    entryId,
    scope,
    layers,
    shown: { byWireName: new Map([[registration.key, registration]]) },
    principal: caller,
    correlationId: undefined,
    env,
  });
};

const unansweredDenial = { kind: "deny", reason: "approval was not given immediately" } as const;

const toModelFailure = (id: string, failure: Failure): Failure => {
  if (failure.code !== "timed_out") return failure;
  const within = failure.timeoutMs === undefined ? "in time" : `within ${failure.timeoutMs} ms`;
  return { ...failure, code: "model_timed_out", message: `${id} did not answer ${within}.` };
};

const noReplyFailure = (id: string): Failure => ({
  code: "approval_required",
  message: `The request to ${id} requires approval, and approval was not given immediately.`,
});

class OpenModelCalls {
  readonly #open = new Map<
    string,
    { readonly asking: ModelInvocation; isHeard: boolean; isThinking?: boolean; said?: string }
  >();
  readonly #tools = new WeakMap<Model, Registration>();

  open(asking: ModelInvocation): void {
    this.#open.set(asking.entryId, { asking, isHeard: false });
  }

  /** Reports the final text if a layer answered from a cache or changed the reply. */
  hearAnswer({ entryId, listener }: ModelInvocation, text: string): void {
    const { isHeard = false, said } = this.#open.get(entryId) ?? {};
    if (listener === undefined || (isHeard && said === text)) return;
    if (isHeard) listener.onReset("a layer changed the model's reply");
    if (text !== "") listener.onText(text);
  }

  isOfLoop(entryId: string): boolean {
    const question = this.#open.get(entryId);
    return question !== undefined && question.asking.askedBy === undefined;
  }

  close({ entryId }: ModelInvocation): void {
    this.#open.delete(entryId);
  }

  toolOf({ model, askedBy }: ModelInvocation): Registration {
    const before = this.#tools.get(model);
    if (before !== undefined) return before;
    const made = this.#toTool(model, askedBy === undefined ? [retry({ attempts: 3 })] : []);
    this.#tools.set(model, made);
    return made;
  }

  /** Read-only from the view of tools, so failures of the provider can be retried. */
  #toTool(model: Model, layers: readonly ToolLayer[]): Registration {
    const asked = tool({
      name: "model",
      description: `Asks ${model.id}.`,
      input: { type: "object" },
      annotations: { readOnly: true },
      layers,
      implementation: Object.freeze({
        ...runImplementation((input, context) => this.#ask(input as unknown as ModelCallInput, context)),
        // A request that fails before it is sent, for example without a key, did not run.
        provesNotRun: true,
      }),
    });
    return { key: modelKeyOf(model.id), wireName: "model", origin: "agent", tool: asked };
  }

  async #ask(said: ModelCallInput, { callId, signal, note }: CallContext): Promise<unknown> {
    const question = this.#open.get(callId);
    if (question === undefined) return failed({ code: "call_over", message: "The model request has ended." });
    const { model, listed, listener, output, askedBy = model.generate } = question.asking;
    const { messages, losses } = fitMedia(said.messages, model.takes);
    for (const { kind, mediaType, reason } of losses)
      note(`described in text only: ${kind} ${mediaType}. ${reason}`);
    const request = { ...said, messages, tools: listed, ...(output === undefined ? {} : { output }) };
    if (question.isHeard || question.isThinking) listener?.onReset("the model request is retried");
    question.isHeard = false;
    question.isThinking = false;
    const emitText = (text: string): void => {
      question.isHeard = true;
      listener?.onText(text);
    };
    const emitReasoning = (text: string): void => {
      question.isThinking = true;
      listener?.onReasoning(text);
    };
    try {
      if (listener === undefined) return toOutcomeWithParts(await askedBy(request, { signal }), losses);
      const reply = await streamReply(model, request, signal, { emitText, emitReasoning });
      question.said = reply?.text;
      return toOutcomeWithParts(reply, losses);
    } catch (error) {
      const { failure } = ToolError.is(error) ? error : toModelError(model.id, error);
      return failed(failure.code === "invalid_config" ? { ...failure, ran: false } : failure);
    }
  }
}

/**
 * Media of the model become parts of the outcome, so that layers and records treat them like those of a tool.
 */
const toOutcomeWithParts = (reply: ModelReply, losses: readonly OmittedPart[]): ModelReply | Outcome => {
  if (typeof reply !== "object" || reply === null) return reply;
  const { parts = [], ...said } = reply;
  const whole = losses.length === 0 ? said : { ...said, losses };
  return parts.length === 0
    ? whole
    : { ...withMedia(whole, []), parts: [...(parts as readonly ContentPart[])] };
};

interface StreamHandlers {
  readonly emitText: (text: string) => void;
  readonly emitReasoning: (text: string) => void;
}

type ModelCallInput = Pick<ModelRequest, "messages" | "settings">;

const streamReply = async (
  model: Model,
  request: ModelRequest,
  signal: AbortSignal,
  { emitText, emitReasoning }: StreamHandlers,
): Promise<ModelReply> => {
  for await (const event of model.stream(request, { signal })) {
    // Leaving the loop closes the stream of a model that ignores its signal.
    signal.throwIfAborted();
    if (event.kind === "reply") return event.reply;
    if (event.kind === "text") emitText(event.text);
    if (event.kind === "reasoning") emitReasoning(event.text);
  }
  throw new ModelError("model_unreadable", `${model.id} ended its stream without a reply.`);
};

/** Conversations are larger than tool input, and models are slower. */
const modelCallLimits = {
  defaultTimeoutMs: 600_000,
  maxTimeoutMs: 3_600_000,
  maxResultBytes: 64 * 1_048_576,
  maxMediaParts: 100,
  maxMediaBytes: 64 * 1_048_576,
  json: { maxLength: 256 * 1_048_576, maxDepth: 64 },
};

const allowDecision = Object.freeze({
  effect: "allow",
  ruleIds: [],
  reason: "a run requests its model",
} as const);

const allowAllPolicy: GuardedPolicy = { visible: () => allowDecision, decide: () => allowDecision };

const silentEvents: PipelineOptions["events"] = { on: () => () => {}, emit: () => {}, isHeard: () => false };
