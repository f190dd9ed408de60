import type { Model, ModelRequest, ModelResponse, StreamEvent } from "@openai/agents";
import type { SessionModelOptions } from "../../runtime/session/session-model.ts";
import type { Session } from "../../runtime/session.ts";
import type { Usage } from "../../words/model.ts";

/**
 * A model of the OpenAI Agents SDK whose questions are seen: each goes through these layers and has a row in the session's
 * group of the ledger.
 */
export const haftModel = (
  session: Session,
  id: string,
  model: Model,
  options: SessionModelOptions = {},
): Model => {
  const asked = session.model(id, options);
  // Whoever asks is told of options that make no sense.
  asked.catch(() => {});
  const { getRetryAdvice } = model;
  return {
    ...(model.supportsPromptModelSelection === undefined
      ? {}
      : { supportsPromptModelSelection: model.supportsPromptModelSelection }),
    ...(getRetryAdvice === undefined ? {} : { getRetryAdvice: (given) => getRetryAdvice.call(model, given) }),
    getResponse: async (request) =>
      (await asked).ask<ModelResponse>({
        messages: lastOf(request),
        signal: request.signal,
        ask: (signal) => model.getResponse({ ...request, signal }),
        read: ({ usage }) => ({ usage: toUsage(usage) }),
      }),
    getStreamedResponse: (request) => streamed(asked, model, request),
  };
};

async function* streamed(
  asked: ReturnType<Session["model"]>,
  model: Model,
  request: ModelRequest,
): AsyncGenerator<StreamEvent> {
  const begun = Promise.withResolvers<AsyncIterator<StreamEvent>>();
  const over = Promise.withResolvers<Usage>();
  let isBegun = false;
  const whole = (await asked).ask({
    messages: lastOf(request),
    signal: request.signal,
    ask: async (signal) => {
      // What the loop has begun to read cannot be taken back, so it is not asked for again.
      if (isBegun) throw new Error("The stream of the model's answer broke off.");
      isBegun = true;
      begun.resolve(model.getStreamedResponse({ ...request, signal })[Symbol.asyncIterator]());
      return await over.promise;
    },
    read: (usage) => ({ usage }),
  });
  whole.catch(begun.reject);
  // A layer that gives the question up ends the stream, whether the provider minds its signal or not.
  const givenUp = whole.then(() => new Promise<never>(() => {}));
  givenUp.catch(() => {});
  const events = await begun.promise;
  let usage: Usage = { inputTokens: 0, outputTokens: 0 };
  try {
    const read = () => Promise.race([events.next(), givenUp]);
    for (let next = await read(); next.done !== true; next = await read()) {
      if (next.value.type === "response_done") usage = toUsage(next.value.response.usage);
      yield next.value;
    }
  } catch (error) {
    over.reject(error);
    await whole;
    throw error;
  } finally {
    over.resolve(usage);
    // Not waited for: what minds no signal may never end.
    events.return?.().catch(() => {});
  }
  await whole;
}

interface Counts {
  readonly inputTokens?: number | undefined;
  readonly outputTokens?: number | undefined;
}

const toUsage = ({ inputTokens = 0, outputTokens = 0 }: Counts): Usage => ({ inputTokens, outputTokens });

/** The row says how the question ended: its last words. */
const lastOf = ({ input }: ModelRequest) => {
  const last = typeof input === "string" ? input : JSON.stringify(input.at(-1) ?? "");
  return [{ role: "user", content: last }] as const;
};
