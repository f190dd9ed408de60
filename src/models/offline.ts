import { ConfigurationError } from "../types/errors.ts";
import type { Model, ModelEvent, ModelReply, ModelRequest } from "../types/model.ts";
import type { AnswerOptions } from "./offline/answer-offline.ts";
import type { ToolCaller } from "./tool-caller.ts";
import { vendorModel } from "./vendor-model.ts";

/** How readily the offline model takes a tool. */
export interface OfflineOptions {
  /** How well a tool's words must fit, 0 to 1. 0.1 unless told. */
  readonly minScore?: number;
}

const checkOfflineOptions = ({ minScore = 0.1 }: OfflineOptions): AnswerOptions => {
  if (typeof minScore === "number" && minScore > 0 && minScore <= 1) return { minScore };
  throw new ConfigurationError("invalid_config", "offline: minScore takes a number above 0 and up to 1.");
};

/**
 * A planner in place of a language model, so that everything runs with no key: it picks tools by their words,
 * fills arguments with what stands in the text, and never makes a value up. It says what it is in every text, the
 * same request always gets the same reply, and its usage counts words, which is only near to tokens.
 */
export const offline = (options: OfflineOptions = {}): Model & ToolCaller => {
  const settings = checkOfflineOptions(options);

  /** Its vocabulary is large, so it is loaded when the first question comes. */
  const generate = async (request: ModelRequest): Promise<ModelReply> => {
    const { answerOffline: answer } = await import("./offline/answer-offline.ts");
    return answer(request, settings);
  };

  async function* stream(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelEvent, void> {
    const reply = await generate(request);
    for (const text of reply.text.match(/\s*\S+\s*$|\s*\S+/g) ?? []) {
      yield { kind: "text", text };
      signal.throwIfAborted();
    }
    for (const { id, tool } of reply.calls) yield { kind: "call", id, tool };
    signal.throwIfAborted();
    yield { kind: "reply", reply };
  }

  return vendorModel("offline/planner", { generate, stream, takesOutput: () => true });
};
