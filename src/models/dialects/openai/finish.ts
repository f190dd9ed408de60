import type { FinishReason, Usage } from "../../../types/model.ts";
import { foreignFieldsOf } from "../calls/wire-reader.ts";
import type { OfferedTool } from "../exporter.ts";
import { readField, sourceName, toCount, toItems, untrustedSourceNames } from "../model-reply.ts";
import { toResponseItem } from "./response-item.ts";

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

const ownItems: ReadonlySet<unknown> = new Set(["message", "reasoning", "image_generation_call"]);
const ownParts: ReadonlySet<unknown> = new Set([
  "output_text",
  "refusal",
  "summary_text",
  "reasoning_text",
  "text",
]);

/** Tool search returns only offered definitions, so it is not a source of untrusted content. */
export const responseSources = (item: unknown, tools: readonly OfferedTool[]): readonly string[] => {
  const { type, name } = foreignFieldsOf(item);
  const call = toResponseItem(foreignFieldsOf(item));
  if (call !== undefined) return call.providerExecuted ? [sourceName(name)] : [];
  if (isOwnSearch(item, tools)) return [];
  if (!ownItems.has(type)) return [sourceName(type)];
  const parts = [...toItems(readField(item, "content")), ...toItems(readField(item, "summary"))];
  return parts.flatMap((part) => {
    const { type: kind } = foreignFieldsOf(part);
    return ownParts.has(kind) ? untrustedSourceNames(part) : [sourceName(kind)];
  });
};

const isOwnSearch = (item: unknown, tools: readonly OfferedTool[]): boolean => {
  const { type, tools: found } = foreignFieldsOf(item);
  if (type !== "tool_search_call" && type !== "tool_search_output") return false;
  if (!tools.some(({ deferred }) => deferred === true)) return false;
  const names = new Set(tools.map(({ wireName }) => wireName));
  return toItems(found).every((one) => names.has(String(foreignFieldsOf(one).name)));
};
