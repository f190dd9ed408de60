import type { Model, ModelEvent, ModelReply, ModelRequest } from "haft/models";

/** A piece of an answer, or a promise that is awaited before the next piece. */
export type ReplyPiece = string | Promise<unknown>;

/**
 * A model that sends its nth answer in pieces, at the pace of the test. A function chooses by the request.
 */
export const pacedModel = (
  script: readonly (readonly ReplyPiece[] | ModelReply["calls"] | Error)[],
): Model & { readonly requests: ModelRequest[] } => {
  const requests: ModelRequest[] = [];
  async function* stream(request: ModelRequest, signal: AbortSignal | undefined): AsyncGenerator<ModelEvent> {
    requests.push(request);
    const line = script[requests.length - 1];
    if (line === undefined) throw new Error(`The script has no answer ${requests.length}.`);
    if (line instanceof Error) throw line;
    const usage = { inputTokens: 3, outputTokens: 2 };
    if (line.length > 0 && isCalls(line)) {
      yield { kind: "reply", reply: { text: "", calls: line, usage, finish: "calls" } };
      return;
    }
    let text = "";
    for (const piece of line as readonly ReplyPiece[]) {
      if (typeof piece !== "string") {
        await waitOrAbort(piece, signal);
        continue;
      }
      text += piece;
      yield { kind: "text", text: piece };
    }
    yield { kind: "reply", reply: { text, calls: [], usage, finish: "stop" } };
  }
  return {
    id: "paced/model",
    requests,
    stream: (request, options) => stream(request, options?.signal),
    generate: async (request, options) => {
      for await (const event of stream(request, options?.signal))
        if (event.kind === "reply") return event.reply;
      throw new Error("The stream ended without a reply.");
    },
  };
};

const isCalls = (line: readonly unknown[]): line is ModelReply["calls"] =>
  typeof line[0] === "object" && line[0] !== null && "tool" in line[0];

const waitOrAbort = async (piece: Promise<unknown>, signal: AbortSignal | undefined): Promise<void> => {
  const { promise, reject } = Promise.withResolvers<never>();
  const abort = () => reject(new Error("aborted"));
  signal?.addEventListener("abort", abort);
  if (signal?.aborted === true) abort();
  try {
    await Promise.race([piece, promise]);
  } finally {
    signal?.removeEventListener("abort", abort);
  }
};
