import { type LanguageModelMiddleware, wrapLanguageModel } from "ai";
import { partSources, type SourcedPart } from "../../models/ai-sdk/part-sources.ts";
import type { SessionModelOptions } from "../../runtime/session/session-model.ts";
import type { Session } from "../../runtime/session.ts";
import type { Usage } from "../../types/model.ts";
import { checkIntegration } from "../check-integration.ts";

type WrapOptions = Parameters<typeof wrapLanguageModel>[0];
type GenerateOptions = Parameters<NonNullable<LanguageModelMiddleware["wrapGenerate"]>>[0];
type StreamOptions = Parameters<NonNullable<LanguageModelMiddleware["wrapStream"]>>[0];
type StreamResult = Awaited<ReturnType<StreamOptions["doStream"]>>;

/**
 * Wraps a model of the AI SDK, so that its requests pass through the layers and are recorded with the
 * session. Results of provider tools are noted as untrusted.
 */
export const haftModel = (
  session: Session,
  model: WrapOptions["model"],
  options: SessionModelOptions = {},
): ReturnType<typeof wrapLanguageModel> => {
  checkIntegration("haftModel", session, options, ["layers", "env"]);
  const note = createUntrustedPartNoter(session);
  const id = typeof model === "string" ? model : `${model.provider}/${model.modelId}`;
  const sessionModel = session.model(id, options);
  // Prevents an unhandled rejection; each request reports the error.
  sessionModel.catch(() => {});

  const wrapGenerate = async ({ params, model: inner }: GenerateOptions) =>
    (await sessionModel).ask({
      messages: lastMessageOf(params.prompt),
      signal: params.abortSignal,
      ask: async (signal) => {
        const result = await inner.doGenerate({ ...params, abortSignal: signal });
        for (const part of result.content) await note(part);
        await note({ type: "finish", providerMetadata: result.providerMetadata });
        return result;
      },
      read: ({ usage }) => ({ usage: toUsage(usage) }),
    });

  const wrapStream = async ({ params, model: inner }: StreamOptions): Promise<StreamResult> => {
    const begun = Promise.withResolvers<StreamResult>();
    let isBegun = false;
    const finished = (await sessionModel).ask({
      messages: lastMessageOf(params.prompt),
      signal: params.abortSignal,
      ask: async (signal) => {
        // A retry is impossible once the loop has read a part of the stream.
        if (isBegun) throw new Error("The stream of the model's answer ended too early.");
        const result = await inner.doStream({ ...params, abortSignal: signal });
        const watched = await watchStream(result.stream, note, signal);
        signal.throwIfAborted();
        isBegun = true;
        begun.resolve({ ...result, stream: watched.stream });
        return await watched.finish;
      },
      read: (finish) => ({ usage: toUsage(finish?.usage) }),
    });
    finished.catch(begun.reject);
    return begun.promise;
  };

  return wrapLanguageModel({ model, middleware: { specificationVersion: "v4", wrapGenerate, wrapStream } });
};

interface ModelOutputPart extends SourcedPart {
  readonly type: string;
  readonly id?: unknown;
  readonly toolCallId?: unknown;
}

type NoteUntrustedPart = (part: ModelOutputPart) => Promise<void>;

/** Notes content from the provider that appears in no message of the loop. */
export const createUntrustedPartNoter = (session: Session): NoteUntrustedPart => {
  const noted = new Set<string>();
  return async (part) => {
    if (partTypesWithoutContent.has(part.type)) return;
    const callId = String(part.toolCallId ?? part.id ?? part.type);
    for (const tool of partSources(toSourcedPart(part))) {
      if (noted.has(tool)) continue;
      // Explicit taints: with the id of a session's call it would count as the result of that call.
      await session.note([{ role: "tool", callId, tool, content: "", ok: true, taints: [tool] }]);
      noted.add(tool);
    }
  };
};

const partTypesWithoutContent: ReadonlySet<string> = new Set([
  "stream-start",
  "response-metadata",
  "tool-input-start",
  "tool-input-delta",
  "tool-input-end",
  "error",
  "raw",
]);

/** Parts of a streamed text carry the same metadata as a whole text. */
const toSourcedPart = (part: ModelOutputPart): SourcedPart => {
  const isModelText = part.type === "finish" || /^(text|reasoning)-(start|delta|end)$/.test(part.type);
  return isModelText ? { ...part, type: "text" } : part;
};

interface WatchedStream<Part> {
  readonly stream: ReadableStream<Part>;
  /** Undefined if the reader cancelled. Rejects if the reply fails. */
  readonly finish: Promise<Extract<Part, { type: "finish" }> | undefined>;
}

/**
 * Resolves when the first part with content has arrived, so that an earlier failure can be retried. An abort
 * fails the stream.
 */
const watchStream = async <Part extends ModelOutputPart>(
  stream: ReadableStream<Part>,
  note: NoteUntrustedPart,
  signal: AbortSignal,
): Promise<WatchedStream<Part>> => {
  type Finish = Extract<Part, { type: "finish" }>;
  const finished = Promise.withResolvers<Finish | undefined>();
  // Prevents an unhandled rejection.
  finished.promise.catch(() => {});
  const reader = stream.getReader();
  const read: Awaited<ReturnType<typeof reader.read>>[] = [];
  for (let hasContent = false; !hasContent; ) {
    const next = await untilAborted(reader.read(), signal);
    read.push(next);
    hasContent = next.done || !emptyPartTypes.has(next.value.type);
  }
  let finish: Finish | undefined;
  let failure: { readonly error: unknown } | undefined;

  const watched = new ReadableStream<Part>({
    start: (controller) => {
      const cancelRead = (): void => {
        finished.reject(signal.reason);
        controller.error(signal.reason);
        reader.cancel(signal.reason).catch(() => {});
      };
      signal.addEventListener("abort", cancelRead, { once: true });
      finished.promise.finally(() => signal.removeEventListener("abort", cancelRead)).catch(() => {});
    },
    pull: async (controller) => {
      try {
        const { done, value } = read.shift() ?? (await reader.read());
        if (done) {
          if (failure === undefined) finished.resolve(finish);
          else finished.reject(failure.error);
          controller.close();
          return;
        }
        if (value.type === "finish") finish = value as Finish;
        if (value.type === "error") failure = { error: (value as { readonly error?: unknown }).error };
        await note(value);
        controller.enqueue(value);
      } catch (error) {
        finished.reject(error);
        // On abort, the reader has received the error already.
        if (!signal.aborted) controller.error(error);
      }
    },
    cancel: async (reason) => {
      finished.resolve(finish);
      await reader.cancel(reason);
    },
  });
  return { stream: watched, finish: finished.promise };
};

const emptyPartTypes: ReadonlySet<string> = new Set(["stream-start", "response-metadata"]);

const untilAborted = <A>(work: Promise<A>, signal: AbortSignal): Promise<A> => {
  const aborted = Promise.withResolvers<never>();
  const abort = (): void => aborted.reject(signal.reason);
  signal.addEventListener("abort", abort, { once: true });
  if (signal.aborted) abort();
  return Promise.race([work, aborted.promise]).finally(() => signal.removeEventListener("abort", abort));
};

/** The ledger records only the last message. */
const lastMessageOf = (prompt: GenerateOptions["params"]["prompt"]) => {
  const content = prompt.at(-1)?.content ?? "";
  const text =
    typeof content === "string"
      ? content
      : content.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");
  return [{ role: "user", content: text }] as const;
};

interface TokenCounts {
  readonly inputTokens?: { readonly total: number | undefined } | undefined;
  readonly outputTokens?: { readonly total: number | undefined } | undefined;
}

const toUsage = (counts: TokenCounts | undefined): Usage => ({
  inputTokens: counts?.inputTokens?.total ?? 0,
  outputTokens: counts?.outputTokens?.total ?? 0,
});
