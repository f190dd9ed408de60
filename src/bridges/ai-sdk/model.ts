import { type LanguageModelMiddleware, wrapLanguageModel } from "ai";
import type { SessionModelOptions } from "../../runtime/session/session-model.ts";
import type { Session } from "../../runtime/session.ts";
import type { Usage } from "../../words/model.ts";
import { type NoteResults, resultNoter } from "../note-results.ts";

type Wrapping = Parameters<typeof wrapLanguageModel>[0];
type GenerateOptions = Parameters<NonNullable<LanguageModelMiddleware["wrapGenerate"]>>[0];
type StreamOptions = Parameters<NonNullable<LanguageModelMiddleware["wrapStream"]>>[0];
type Streamed = Awaited<ReturnType<StreamOptions["doStream"]>>;
type StreamPart = Streamed["stream"] extends ReadableStream<infer Part> ? Part : never;

/**
 * A model of the AI SDK whose questions are seen: each goes through these layers and has a row in the session's group of
 * the ledger. What tools of its provider said is noted before the model's own calls are judged.
 */
export const haftModel = (
  session: Session,
  model: Wrapping["model"],
  options: SessionModelOptions = {},
): ReturnType<typeof wrapLanguageModel> => {
  const note = resultNoter(session);
  const id = typeof model === "string" ? model : `${model.provider}/${model.modelId}`;
  const asked = session.model(id, options);
  // Whoever asks is told of options that make no sense.
  asked.catch(() => {});

  const wrapGenerate = async ({ params, model: inner }: GenerateOptions) =>
    (await asked).ask({
      messages: lastOf(params.prompt),
      signal: params.abortSignal,
      ask: async (signal) => {
        const result = await inner.doGenerate({ ...params, abortSignal: signal });
        await note(result.content.flatMap(providerResult));
        return result;
      },
      read: ({ usage }) => ({ usage: toUsage(usage) }),
    });

  const wrapStream = async ({ params, model: inner }: StreamOptions): Promise<Streamed> => {
    const begun = Promise.withResolvers<Streamed>();
    let isBegun = false;
    const over = (await asked).ask({
      messages: lastOf(params.prompt),
      signal: params.abortSignal,
      ask: async (signal) => {
        // What the loop has begun to read cannot be taken back, so it is not asked for again.
        if (isBegun) throw new Error("The stream of the model's answer broke off.");
        const result = await inner.doStream({ ...params, abortSignal: signal });
        const watched = watch(result.stream, note);
        isBegun = true;
        begun.resolve({ ...result, stream: watched.stream });
        return await watched.usage;
      },
      read: (usage) => ({ usage }),
    });
    over.catch(begun.reject);
    return begun.promise;
  };

  return wrapLanguageModel({ model, middleware: { specificationVersion: "v4", wrapGenerate, wrapStream } });
};

/** The row says how the question ended: its last words. */
const lastOf = (prompt: GenerateOptions["params"]["prompt"]) => {
  const content = prompt.at(-1)?.content ?? "";
  const text =
    typeof content === "string"
      ? content
      : content.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");
  return [{ role: "user", content: text }] as const;
};

/** A result of a tool that the provider ran, which the loop never sees as a call. */
const providerResult = (part: { readonly type: string }) => {
  if (part.type !== "tool-result") return [];
  const { toolCallId, toolName } = part as { readonly toolCallId?: unknown; readonly toolName?: unknown };
  return [{ callId: String(toolCallId), tool: String(toolName) }];
};

interface Counts {
  readonly inputTokens: { readonly total: number | undefined };
  readonly outputTokens: { readonly total: number | undefined };
}

const toUsage = ({ inputTokens, outputTokens }: Counts): Usage => ({
  inputTokens: inputTokens.total ?? 0,
  outputTokens: outputTokens.total ?? 0,
});

/** The same stream, and what it used once it is over: read to its end, broken, or left. */
const watch = (
  stream: ReadableStream<StreamPart>,
  note: NoteResults,
): { readonly stream: ReadableStream<StreamPart>; readonly usage: Promise<Usage> } => {
  const over = Promise.withResolvers<Usage>();
  let usage: Usage = { inputTokens: 0, outputTokens: 0 };
  const reader = stream.getReader();
  const watched = new ReadableStream<StreamPart>({
    pull: async (controller) => {
      try {
        const { done, value } = await reader.read();
        if (done) {
          over.resolve(usage);
          controller.close();
          return;
        }
        if (value.type === "finish") usage = toUsage(value.usage);
        await note(providerResult(value));
        controller.enqueue(value);
      } catch (error) {
        over.reject(error);
        controller.error(error);
      }
    },
    cancel: async (reason) => {
      over.resolve(usage);
      await reader.cancel(reason);
    },
  });
  return { stream: watched, usage: over.promise };
};
