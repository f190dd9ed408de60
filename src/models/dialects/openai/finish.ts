import type { Finish, Usage } from "../../words/model.ts";
import { count, field } from "../reply.ts";

const finishes: Readonly<Record<string, Finish>> = {
  stop: "stop",
  tool_calls: "calls",
  function_call: "calls",
  length: "length",
  // As other servers of this dialect say it.
  max_tokens: "length",
  model_length: "length",
  content_filter: "filter",
};

/** A model that refuses says so in its message; its server calls that a plain stop. */
export const chatFinish = (reason: unknown, isRefused: boolean): Finish => {
  const finish = typeof reason === "string" && Object.hasOwn(finishes, reason) ? finishes[reason]! : "other";
  return isRefused && finish === "stop" ? "refusal" : finish;
};

export const responsesFinish = (response: unknown, isRefused: boolean): Finish => {
  if (field(response, "status") === "completed") return isRefused ? "refusal" : "stop";
  const reason = field(field(response, "incomplete_details"), "reason");
  if (reason === "max_output_tokens") return "length";
  return reason === "content_filter" ? "filter" : "other";
};

const withCached = (inputTokens: number, outputTokens: number, details: unknown): Usage => {
  const cached = field(details, "cached_tokens");
  return {
    inputTokens,
    outputTokens,
    ...(typeof cached === "number" ? { cachedTokens: count(cached) } : {}),
  };
};

export const chatUsage = (usage: unknown): Usage =>
  withCached(
    count(field(usage, "prompt_tokens")),
    count(field(usage, "completion_tokens")),
    field(usage, "prompt_tokens_details"),
  );

export const responsesUsage = (usage: unknown): Usage =>
  withCached(
    count(field(usage, "input_tokens")),
    count(field(usage, "output_tokens")),
    field(usage, "input_tokens_details"),
  );
