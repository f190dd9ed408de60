import { isObject, type JsonObject } from "../../base/json/is-object.ts";
import { preserveLargeIntegers } from "../../base/json/preserve-large-integers.ts";
import type { RawCall } from "../../types/call.ts";
import { ModelError } from "../../types/errors.ts";
import type { FinishReason, ModelReply, Usage } from "../../types/model.ts";
import { toCount, toModelReply } from "../dialects/model-reply.ts";
import { toAiSdkEcho } from "./echo.ts";
import { readGeneratedFile } from "./file-parts.ts";
import type { AiSdkResult } from "./language-model.ts";
import { metadataSources, partSources } from "./part-sources.ts";

const finishReasons: Readonly<Record<string, FinishReason>> = {
  stop: "stop",
  length: "length",
  "content-filter": "filter",
  "tool-calls": "calls",
  other: "other",
  unknown: "other",
};

/** Provider values that the SDK does not map. */
const providerFinishReasons: Readonly<Record<string, FinishReason>> = {
  pause_turn: "pause",
  refusal: "refusal",
};

/** A string in v2, an object with the provider's own value since. */
const readFinish = (id: string, reason: unknown): FinishReason => {
  const own = isObject(reason) ? reason.raw : undefined;
  if (typeof own === "string" && Object.hasOwn(providerFinishReasons, own))
    return providerFinishReasons[own]!;
  const word = isObject(reason) ? reason.unified : reason;
  const finish =
    typeof word === "string" && Object.hasOwn(finishReasons, word) ? finishReasons[word]! : undefined;
  if (finish !== undefined) return finish;
  const problem = word === "error" ? "ended with an error" : "has no finish reason";
  throw new ModelError("model_unreadable", `${id}: the provider's answer ${problem}.`);
};

/** Numbers in v2, objects with a total since. */
const readUsage = (usage: unknown): Usage => {
  const { inputTokens, outputTokens, cachedInputTokens } = isObject(usage) ? usage : {};
  const input = isObject(inputTokens) ? inputTokens : { total: inputTokens, cacheRead: cachedInputTokens };
  const output = isObject(outputTokens) ? outputTokens.total : outputTokens;
  return {
    inputTokens: toCount(input.total),
    outputTokens: toCount(output),
    ...(input.cacheRead === undefined ? {} : { cachedTokens: toCount(input.cacheRead) }),
  };
};

const toCall = (part: JsonObject, place: number, index: number): RawCall => ({
  id: String(part.toolCallId ?? ""),
  tool: String(part.toolName ?? ""),
  input: preserveLargeIntegers(part.input),
  index,
  part: `/content/${place}`,
  ...(part.providerExecuted === true ? { providerExecuted: true } : {}),
  finish: part.incomplete === true ? "incomplete" : "complete",
});

const isResult = (value: unknown): value is AiSdkResult =>
  isObject(value) && Array.isArray(value.content) && value.content.every(isObject);

export const readResult = (id: string, wire: string, result: unknown): ModelReply => {
  if (!isResult(result)) {
    throw new ModelError("model_unreadable", `${id}: the provider's answer has no list of contents.`);
  }
  const { content, finishReason, usage } = result;
  const calls = [...content.entries()]
    .filter(([, { type }]) => type === "tool-call")
    .map(([place, part], index) => toCall(part, place, index));
  const text = content.flatMap((part) => (part.type === "text" ? [String(part.text ?? "")] : [])).join("");
  return toModelReply({
    text,
    calls,
    usage: readUsage(usage),
    finish: readFinish(id, finishReason),
    parts: content.flatMap((part) => readGeneratedFile(part) ?? []),
    reasoning: content
      .flatMap(({ type, text: thought }) => (type === "reasoning" && thought ? [String(thought)] : []))
      .join("\n\n"),
    echo: toAiSdkEcho(wire, content),
    taints: [...content.flatMap(partSources), ...metadataSources(result)],
  });
};
