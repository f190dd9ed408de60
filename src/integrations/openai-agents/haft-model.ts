import type { Model, ModelRequest, ModelResponse, StreamEvent } from "@openai/agents";
import { foreignFieldsOf } from "../../models/dialects/calls/wire-reader.ts";
import { sourceName, toItems, untrustedSourceNames } from "../../models/dialects/model-reply.ts";
import type { SessionModelOptions } from "../../runtime/session/session-model.ts";
import type { Session } from "../../runtime/session.ts";
import type { Usage } from "../../types/model.ts";
import { checkIntegration } from "../check-integration.ts";

/**
 * Wraps a model of the OpenAI Agents SDK, so that its requests pass through the layers and are recorded with
 * the session.
 */
export const haftModel = (
  session: Session,
  id: string,
  model: Model,
  options: SessionModelOptions = {},
): Model => {
  checkIntegration("haftModel", session, options, ["layers", "env"]);
  const sessionModel = session.model(id, options);
  const note = createOutputNoter(session);
  // Prevents an unhandled rejection; each request reports the error.
  sessionModel.catch(() => {});
  const { getRetryAdvice } = model;
  return {
    ...(model.supportsPromptModelSelection === undefined
      ? {}
      : { supportsPromptModelSelection: model.supportsPromptModelSelection }),
    ...(getRetryAdvice === undefined ? {} : { getRetryAdvice: (given) => getRetryAdvice.call(model, given) }),
    getResponse: async (request) =>
      (await sessionModel).ask<ModelResponse>({
        messages: lastMessageOf(request),
        signal: request.signal,
        ask: async (signal) => {
          const response = await model.getResponse({ ...request, signal });
          await note(response.output);
          return response;
        },
        read: ({ usage }) => ({ usage: toUsage(usage) }),
      }),
    getStreamedResponse: (request) => streamResponse(sessionModel, model, request, note),
  };
};

async function* streamResponse(
  sessionModel: ReturnType<Session["model"]>,
  model: Model,
  request: ModelRequest,
  note: NoteUntrustedOutput,
): AsyncGenerator<StreamEvent> {
  const firstEvents = Promise.withResolvers<AsyncIterator<StreamEvent>>();
  const finished = Promise.withResolvers<Usage>();
  let isBegun = false;
  const response = (await sessionModel).ask({
    messages: lastMessageOf(request),
    signal: request.signal,
    ask: async (signal) => {
      // A retry is impossible once the loop has read a part of the stream.
      if (isBegun) throw new Error("The stream of the model's answer ended too early.");
      isBegun = true;
      firstEvents.resolve(model.getStreamedResponse({ ...request, signal })[Symbol.asyncIterator]());
      return await finished.promise;
    },
    read: (usage) => ({ usage }),
  });
  response.catch(firstEvents.reject);
  // A layer that cancels the request ends the stream, even if the provider ignores its signal.
  const isCancelled = response.then(() => new Promise<never>(() => {}));
  isCancelled.catch(() => {});
  const events = await firstEvents.promise;
  let usage: Usage = { inputTokens: 0, outputTokens: 0 };
  try {
    const read = () => Promise.race([events.next(), isCancelled]);
    for (let next = await read(); next.done !== true; next = await read()) {
      if (next.value.type === "response_done") {
        usage = toUsage(next.value.response.usage);
        await note(next.value.response.output);
      }
      yield next.value;
    }
  } catch (error) {
    finished.reject(error);
    await response;
    throw error;
  } finally {
    finished.resolve(usage);
    // Not awaited, because an iterator that ignores the signal may never end.
    events.return?.().catch(() => {});
  }
  await response;
}

type NoteUntrustedOutput = (items: readonly unknown[]) => Promise<void>;

/** Notes content before the loop makes the calls of the same response. */
const createOutputNoter = (session: Session): NoteUntrustedOutput => {
  const noted = new Set<string>();
  return async (items) => {
    for (const tool of items.flatMap(outputSources)) {
      if (noted.has(tool)) continue;
      // Explicit taints, because it is not the result of a session's call.
      await session.note([{ role: "tool", callId: tool, tool, content: "", ok: true, taints: [tool] }]);
      noted.add(tool);
    }
  };
};

const modelItemTypes: ReadonlySet<unknown> = new Set(["message", "function_call", "reasoning"]);

const outputSources = (item: unknown): readonly string[] => {
  const { type = "message", name, content } = foreignFieldsOf(item);
  if (!modelItemTypes.has(type)) return [sourceName(name ?? type)];
  return toItems(content).flatMap((part) => [
    ...untrustedSourceNames(part),
    ...untrustedSourceNames(foreignFieldsOf(part).providerData),
  ]);
};

interface TokenCounts {
  readonly inputTokens?: number | undefined;
  readonly outputTokens?: number | undefined;
}

const toUsage = ({ inputTokens = 0, outputTokens = 0 }: TokenCounts): Usage => ({
  inputTokens,
  outputTokens,
});

const lastMessageOf = ({ input }: ModelRequest) => {
  const last = typeof input === "string" ? input : JSON.stringify(input.at(-1) ?? "");
  return [{ role: "user", content: last }] as const;
};
