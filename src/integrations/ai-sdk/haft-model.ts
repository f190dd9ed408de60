import { type LanguageModelMiddleware, wrapLanguageModel } from "ai";
import type { SessionModelOptions } from "../../runtime/session/session-model.ts";
import type { Session } from "../../runtime/session.ts";
import type { Usage } from "../../types/model.ts";
import { checkIntegration } from "../check-integration.ts";
import { createUntrustedPartNoter } from "./note-untrusted-parts.ts";
import { watchStream } from "./watch-stream.ts";

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
