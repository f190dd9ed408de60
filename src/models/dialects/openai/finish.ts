import type { FinishReason, Usage } from "../../../types/model.ts";
import { readField, toCount } from "../model-reply.ts";

const finishReasons: Readonly<Record<string, FinishReason>> = {
  stop: "stop",
  tool_calls: "calls",
  function_call: "calls",
  length: "length",
  // Values of compatible servers.
  max_tokens: "length",
  model_length: "length",
  content_filter: "filter",
};

/** The server reports a refusal as a normal stop. */
export const chatFinish = (reason: unknown, isRefused: boolean): FinishReason => {
  const finish =
    typeof reason === "string" && Object.hasOwn(finishReasons, reason) ? finishReasons[reason]! : "other";
  return isRefused && finish === "stop" ? "refusal" : finish;
};

export const responsesFinish = (response: unknown, isRefused: boolean): FinishReason => {
  if (readField(response, "status") === "completed") return isRefused ? "refusal" : "stop";
  const reason = readField(readField(response, "incomplete_details"), "reason");
  if (reason === "max_output_tokens") return "length";
  return reason === "content_filter" ? "filter" : "other";
};

const withCached = (inputTokens: number, outputTokens: number, details: unknown): Usage => {
  const cached = readField(details, "cached_tokens");
  return {
    inputTokens,
    outputTokens,
    ...(typeof cached === "number" ? { cachedTokens: toCount(cached) } : {}),
  };
};

export const chatUsage = (usage: unknown): Usage =>
  withCached(
    toCount(readField(usage, "prompt_tokens")),
    toCount(readField(usage, "completion_tokens")),
    readField(usage, "prompt_tokens_details"),
  );

export const responsesUsage = (usage: unknown): Usage =>
  withCached(
    toCount(readField(usage, "input_tokens")),
    toCount(readField(usage, "output_tokens")),
    readField(usage, "input_tokens_details"),
  );
