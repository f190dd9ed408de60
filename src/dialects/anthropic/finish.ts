import type { Finish, Usage } from "../../words/model.ts";
import { count, field } from "../reply.ts";

const finishes: Readonly<Record<string, Finish>> = {
  end_turn: "stop",
  stop_sequence: "stop",
  tool_use: "calls",
  max_tokens: "length",
  model_context_window_exceeded: "length",
  refusal: "filter",
};

export const anthropicFinish = (reason: unknown): Finish =>
  typeof reason === "string" && Object.hasOwn(finishes, reason) ? finishes[reason]! : "other";

/** The provider counts cached tokens beside the input tokens, not among them. */
export const anthropicUsage = (usage: unknown): Usage => {
  const read = field(usage, "cache_read_input_tokens");
  const written = count(field(usage, "cache_creation_input_tokens"));
  return {
    inputTokens: count(field(usage, "input_tokens")) + count(read) + written,
    outputTokens: count(field(usage, "output_tokens")),
    ...(typeof read === "number" ? { cachedTokens: count(read) } : {}),
  };
};

/** A stream tells what it knows at the start and again at the end, where what it does not repeat still holds. */
export const mergedUsage = (before: unknown, after: unknown): Readonly<Record<string, unknown>> => {
  const merged: Record<string, unknown> = { ...(before as object | undefined) };
  for (const [key, value] of Object.entries((after ?? {}) as object)) if (value !== null) merged[key] = value;
  return merged;
};
