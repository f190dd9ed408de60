import { count, toModelReply } from "../../dialects/reply.ts";
import { isObject, type JsonObject } from "../../json/is-object.ts";
import { orTextOfUnsafe } from "../../json/unsafe-integers.ts";
import type { RawCall } from "../../words/call.ts";
import { ModelError } from "../../words/errors.ts";
import type { Finish, ModelReply, Usage } from "../../words/model.ts";
import { toEcho } from "./echo.ts";
import { madeFile } from "./file-parts.ts";
import type { AiSdkResult } from "./language-model.ts";

const finishes: Readonly<Record<string, Finish>> = {
  stop: "stop",
  length: "length",
  "content-filter": "filter",
  "tool-calls": "calls",
  other: "other",
  unknown: "other",
};

/** Words of providers for which the SDK has none of its own. */
const ownFinishes: Readonly<Record<string, Finish>> = { pause_turn: "pause", refusal: "refusal" };

/** A word in v2, a record with the provider's own word beside it since. */
const readFinish = (id: string, reason: unknown): Finish => {
  const own = isObject(reason) ? reason.raw : undefined;
  if (typeof own === "string" && Object.hasOwn(ownFinishes, own)) return ownFinishes[own]!;
  const word = isObject(reason) ? reason.unified : reason;
  const finish = typeof word === "string" && Object.hasOwn(finishes, word) ? finishes[word]! : undefined;
  if (finish !== undefined) return finish;
  const said = word === "error" ? "ended with an error" : "does not say why it ended";
  throw new ModelError("model_unreadable", `${id}: the provider's answer ${said}.`);
};

/** Numbers in v2, records with a total since. */
const readUsage = (usage: unknown): Usage => {
  const { inputTokens, outputTokens, cachedInputTokens } = isObject(usage) ? usage : {};
  const input = isObject(inputTokens) ? inputTokens : { total: inputTokens, cacheRead: cachedInputTokens };
  const output = isObject(outputTokens) ? outputTokens.total : outputTokens;
  return {
    inputTokens: count(input.total),
    outputTokens: count(output),
    ...(input.cacheRead === undefined ? {} : { cachedTokens: count(input.cacheRead) }),
  };
};

const toCall = (part: JsonObject, place: number, index: number): RawCall => ({
  id: String(part.toolCallId ?? ""),
  tool: String(part.toolName ?? ""),
  input: orTextOfUnsafe(part.input),
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
    parts: content.flatMap((part) => madeFile(part) ?? []),
    reasoning: content
      .flatMap(({ type, text: thought }) => (type === "reasoning" && thought ? [String(thought)] : []))
      .join("\n\n"),
    echo: toEcho(wire, content),
  });
};
