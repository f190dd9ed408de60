import type { AiSdkModel } from "../../src/models/ai-sdk/echo.ts";
import { fromAiSdk } from "../../src/models/from-ai-sdk.ts";

export type StreamPart = Readonly<Record<string, unknown>>;

export interface ModelScript {
  readonly version?: string;
  readonly result?: unknown;
  readonly parts?: readonly unknown[];
  /** Holds the stream open after its parts. */
  readonly hangs?: boolean;
}

/** A model as strict as the specification: a fresh result for each call, a web stream, an error for an abort. */
export const fakeLanguageModel = ({ version = "v3", result, parts = [], hangs = false }: ModelScript) => {
  const asked: StreamPart[] = [];
  const cancelled: unknown[] = [];
  const check = (options: StreamPart): void => {
    asked.push(options);
    (options.abortSignal as AbortSignal).throwIfAborted();
  };
  const model = {
    specificationVersion: version,
    provider: "acme.chat",
    modelId: "large",
    supportedUrls: {},
    async doGenerate(options: StreamPart) {
      check(options);
      if (result instanceof Error) throw result;
      return result;
    },
    async doStream(options: StreamPart) {
      check(options);
      const stream = new ReadableStream({
        start: (controller) => {
          for (const part of parts) controller.enqueue(part);
          if (!hangs) controller.close();
        },
        cancel: (reason) => {
          cancelled.push(reason);
        },
      });
      return { stream };
    },
  };
  return { model: fromAiSdk(model as AiSdkModel), asked, cancelled };
};
