import * as Effect from "effect/Effect";
import { checkFields } from "../../base/json/check-fields.ts";
import { ConfigurationError, type ToolError, toError } from "../../types/errors.ts";
import type { Message } from "../../types/message.ts";
import type { Model, ModelReply } from "../../types/model.ts";
import type { AnyLayer, LayerScopes } from "../../types/tool.ts";
import { runInRuntime, runtimeClosedError, valueOrThrow } from "../run-in-runtime.ts";
import type { SharedRuntime } from "../shared-runtime.ts";
import { detachedScope, type ParsedSessionOptions } from "./session-options.ts";

/** Options of `session.model`. */
export interface SessionModelOptions {
  /** Layers around each request; the last one is outermost. Unless set: none. */
  readonly layers?: readonly AnyLayer[];
  /** Available to layers as `call.env`. */
  readonly env?: unknown;
}

/** A model request of an external loop. */
export interface SessionModelRequest<Answer> {
  readonly messages?: readonly Message[];
  /** Makes the request; a retry calls it again. */
  readonly ask: (signal: AbortSignal) => Promise<Answer>;
  /** Extracts text, usage and finish reason for the record. Unless set: nothing. */
  readonly read?: (answer: Answer) => Partial<Pick<ModelReply, "text" | "usage" | "finish">>;
  readonly signal?: AbortSignal | undefined;
}

/** The model of an external loop. */
export interface SessionModel {
  readonly id: string;
  /**
   * Makes the request through the layers with a ledger entry. Returns or throws what the loop's function
   * does.
   */
  readonly ask: <Answer>(question: SessionModelRequest<Answer>) => Promise<Answer>;
}

/**
 * Wraps the model of a session's loop. Each request is a run of its own, so that it does not block the
 * session.
 */
export const sessionModel = (
  shared: SharedRuntime,
  session: ParsedSessionOptions,
  id: string,
  options: SessionModelOptions,
): SessionModel => {
  checkModelOptions(id, options);
  const { layers = [], env } = options;
  const scopes: LayerScopes = Object.freeze({ run: Object.freeze([...layers]), agent: Object.freeze([]) });
  // Created once, because layer stacks are cached per model.
  const model: Model = { id, generate: rejectDirectCall, stream: rejectDirectCall };

  const ask = async <Answer>({
    messages = [],
    ask: callModel,
    read,
    signal,
  }: SessionModelRequest<Answer>) => {
    if (shared.closed) throw runtimeClosedError(id);
    signal?.throwIfAborted();
    let received: { readonly answer: Answer } | undefined;
    let thrown: { readonly error: unknown } | undefined;
    const generate: Model["generate"] = async (_, given) => {
      received = thrown = undefined;
      try {
        const { signal: ours = new AbortController().signal } = given ?? {};
        const answer = await callModel(ours);
        // A response to an aborted attempt must not answer the next one.
        ours.throwIfAborted();
        received = { answer };
        return { ...emptyReply, ...describeAnswer(answer, read) };
      } catch (error) {
        thrown = { error };
        throw error;
      }
    };
    const { ask: runModelCall } = await shared.agents();
    const modelCall = runModelCall({
      model,
      askedBy: generate,
      messages,
      listed: [],
      settings: undefined,
      output: undefined,
      layers: scopes,
      scope: detachedScope(shared, session),
      principal: session.principal,
      env,
      entryId: shared.tools.newId("entry"),
      listener: undefined,
    });
    const settled = Effect.flatMap(modelCall, (said): Effect.Effect<Answer, unknown> => {
      if (!said.ok) return Effect.fail(thrown === undefined ? toError(said.failure) : thrown.error);
      return received === undefined ? Effect.fail(layerAnsweredError(id)) : Effect.succeed(received.answer);
    });
    return await runInRuntime(shared, settled, valueOrThrow, signal);
  };
  return { id, ask };
};

const emptyReply: ModelReply = {
  text: "",
  calls: [],
  usage: { inputTokens: 0, outputTokens: 0 },
  finish: "other",
};

/** Errors of `read` are ignored. */
const describeAnswer = <Answer>(
  answer: Answer,
  read: SessionModelRequest<Answer>["read"],
): Partial<ModelReply> => {
  try {
    const { usage, ...said } = read?.(answer) ?? {};
    if (usage === undefined) return said;
    const { inputTokens, outputTokens } = usage;
    return {
      ...said,
      usage: { inputTokens: tokenCountOf(inputTokens), outputTokens: tokenCountOf(outputTokens) },
    };
  } catch {
    return {};
  }
};

const tokenCountOf = (tokens: unknown): number =>
  typeof tokens === "number" && Number.isFinite(tokens) && tokens >= 0 ? tokens : 0;

const rejectDirectCall = (): never => {
  throw new Error("This model is requested by the other loop and cannot be called directly.");
};

const layerAnsweredError = (id: string): ToolError =>
  new ConfigurationError(
    "invalid_config",
    `A layer returned an answer instead of ${id}. Another framework's loop cannot receive such an answer. Remove the layer.`,
  );

const checkModelOptions = (id: unknown, options: SessionModelOptions): void => {
  checkFields("session.model", options, ["layers", "env"]);
  if (typeof id !== "string" || id === "") {
    throw new ConfigurationError(
      "invalid_config",
      'The first argument of session.model must be the name of the model for the ledger, such as "openai/gpt-5".',
    );
  }
  if (options.layers !== undefined && !Array.isArray(options.layers)) {
    throw new ConfigurationError("invalid_config", "session.model requires a list as `layers`.");
  }
};
