import * as Effect from "effect/Effect";
import { checkFields } from "../../json/check-fields.ts";
import { ConfigurationError, type ToolError, toError } from "../../words/errors.ts";
import type { AnyLayer, LayerScopes } from "../../words/layer.ts";
import type { Message } from "../../words/message.ts";
import type { Model, ModelReply } from "../../words/model.ts";
import { closed, orThrow } from "../cancelled.ts";
import { runIn } from "../run-in.ts";
import type { Shared } from "../shared.ts";
import type { ReadSession } from "./session-options.ts";
import { unclaimedScope } from "./session-scope.ts";

/** What stands around the questions of somebody else's loop. */
export interface SessionModelOptions {
  /** Around each question, the last one outermost: trace, retry, limit, timeout, approval and the like. Unless set: none. */
  readonly layers?: readonly AnyLayer[];
  /** What layers find in `call.env`. */
  readonly env?: unknown;
}

/** One question, as far as layers and the ledger are to know it. */
export interface SessionQuestion<Answer> {
  readonly messages?: readonly Message[];
  /** The loop's own way to ask. Called again where a layer tries again. */
  readonly ask: (signal: AbortSignal) => Promise<Answer>;
  /** What there is to say of an answer. Unless set: nothing. */
  readonly read?: (answer: Answer) => Partial<Pick<ModelReply, "text" | "usage" | "finish">>;
  readonly signal?: AbortSignal | undefined;
}

/** A model that somebody else's loop asks. */
export interface SessionModel {
  readonly id: string;
  /** Asks through the layers, with a row in the ledger. What the loop's own way gives or throws comes back as it is. */
  readonly ask: <Answer>(question: SessionQuestion<Answer>) => Promise<Answer>;
}

/**
 * The questions of a session's loop to its model. Each is a run of its own in the ledger, found by the session's id: a
 * model takes its time, and nobody is kept from the session meanwhile.
 */
export const sessionModel = (
  shared: Shared,
  session: ReadSession,
  id: string,
  options: SessionModelOptions,
): SessionModel => {
  check(id, options);
  const { layers = [], env } = options;
  const scopes: LayerScopes = Object.freeze({ run: Object.freeze([...layers]), agent: Object.freeze([]) });
  // Layers are put together once for each model, so there is one, which nobody asks directly.
  const model: Model = { id, generate: unasked, stream: unasked };

  const ask = async <Answer>({ messages = [], ask: own, read, signal }: SessionQuestion<Answer>) => {
    if (shared.closed) throw closed(id);
    signal?.throwIfAborted();
    let came: { readonly answer: Answer } | undefined;
    let thrown: { readonly error: unknown } | undefined;
    const askedBy: Model["generate"] = async (_, given) => {
      came = thrown = undefined;
      try {
        const { signal: ours = new AbortController().signal } = given ?? {};
        const answer = await own(ours);
        // An attempt that a layer gave up on must not answer in the place of the next one.
        ours.throwIfAborted();
        came = { answer };
        return { ...silence, ...saidOf(answer, read) };
      } catch (error) {
        thrown = { error };
        throw error;
      }
    };
    const { ask: askModel } = await shared.agents();
    const asked = askModel({
      model,
      askedBy,
      messages,
      listed: [],
      settings: undefined,
      output: undefined,
      layers: scopes,
      scope: unclaimedScope(shared, session),
      principal: session.principal,
      env,
      entryId: shared.tools.newId("entry"),
      listener: undefined,
    });
    const settled = Effect.flatMap(asked, (said): Effect.Effect<Answer, unknown> => {
      if (!said.ok) return Effect.fail(thrown === undefined ? toError(said.failure) : thrown.error);
      return came === undefined ? Effect.fail(answeredBy(id)) : Effect.succeed(came.answer);
    });
    return await runIn(shared, settled, orThrow, signal);
  };
  return { id, ask };
};

const silence: ModelReply = {
  text: "",
  calls: [],
  usage: { inputTokens: 0, outputTokens: 0 },
  finish: "other",
};

/** What is told of an answer is for the record: it must not cost the answer. */
const saidOf = <Answer>(answer: Answer, read: SessionQuestion<Answer>["read"]): Partial<ModelReply> => {
  try {
    const { usage, ...said } = read?.(answer) ?? {};
    if (usage === undefined) return said;
    const { inputTokens, outputTokens } = usage;
    return { ...said, usage: { inputTokens: countOf(inputTokens), outputTokens: countOf(outputTokens) } };
  } catch {
    return {};
  }
};

const countOf = (tokens: unknown): number =>
  typeof tokens === "number" && Number.isFinite(tokens) && tokens >= 0 ? tokens : 0;

const unasked = (): never => {
  throw new Error("The loop asks this model itself.");
};

const answeredBy = (id: string): ToolError =>
  new ConfigurationError(
    "invalid_config",
    `A layer answered in the place of ${id}. Somebody else's loop cannot be given such an answer: leave that layer out.`,
  );

const check = (id: unknown, options: SessionModelOptions): void => {
  checkFields("session.model", options, ["layers", "env"]);
  if (typeof id !== "string" || id === "") {
    throw new ConfigurationError(
      "invalid_config",
      'session.model takes what the ledger is to call the model first, such as "openai/gpt-5".',
    );
  }
  if (options.layers !== undefined && !Array.isArray(options.layers)) {
    throw new ConfigurationError("invalid_config", "session.model takes a list of `layers`.");
  }
};
