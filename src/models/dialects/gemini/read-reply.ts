import { isObject } from "../../../base/json/json-value.ts";
import { ModelError } from "../../../types/errors.ts";
import type { Message } from "../../../types/message.ts";
import type { FinishReason, ModelEvent, ModelReply, Usage } from "../../../types/model.ts";
import type { ForeignFields } from "../calls/wire-reader.ts";
import {
  deltaOf,
  readField,
  sourceName,
  toCount,
  toItems,
  toModelReply,
  toTextOrEmpty,
  untrustedSourceNames,
} from "../model-reply.ts";
import { callCollector } from "../read-calls.ts";
import { toObjectArguments } from "../to-object-arguments.ts";
import { callNamer } from "../to-vendor-messages.ts";
import { candidateOf } from "./read-calls.ts";
import { readGeneratedMedia, toGeminiEcho } from "./to-contents.ts";

/** Thoughts are billed as output, results of built-in tools as input. */
const readUsage = (usage: ForeignFields): Usage => ({
  inputTokens: toCount(usage.promptTokenCount) + toCount(usage.toolUsePromptTokenCount),
  outputTokens: toCount(usage.candidatesTokenCount) + toCount(usage.thoughtsTokenCount),
  ...(usage.cachedContentTokenCount === undefined
    ? {}
    : { cachedTokens: toCount(usage.cachedContentTokenCount) }),
});

/** The vendor accepts only objects. */
const withObjectArguments = (part: ForeignFields): ForeignFields => {
  const { functionCall } = part;
  if (!isObject(functionCall) || typeof functionCall.args !== "string") return part;
  return { ...part, functionCall: { ...functionCall, args: toObjectArguments(functionCall.args) } };
};

/** Throws for an incomplete reply. */
export const geminiReader = (id: string, messages: readonly Message[]) => {
  const collector = callCollector("gemini");
  const namer = callNamer("gemini", messages);
  const parts: ForeignFields[] = [];
  const text: string[] = [];
  const thoughts: string[] = [];
  const taints = new Set<string>();
  let usage: ForeignFields = {};
  let reason = "";
  let isBlocked = false;

  const unreadable = (what: string): ModelError =>
    new ModelError("model_unreadable", `${id}: the provider's answer ${what}.`);

  const readPart = (part: ForeignFields): readonly ModelEvent[] => {
    parts.push(withObjectArguments(part));
    for (const source of partSources(part)) taints.add(source);
    namer.wrote(readField(part.functionCall, "id"));
    const partText = toTextOrEmpty(part.text);
    const kind = part.thought === true ? "reasoning" : "text";
    (kind === "text" ? text : thoughts).push(partText);
    return deltaOf(kind, partText);
  };

  const push = (event: unknown): readonly ModelEvent[] => {
    if (!isObject(event)) throw unreadable("is not an object");
    const { usageMetadata } = event;
    if (isObject(usageMetadata)) usage = { ...usage, ...usageMetadata };
    isBlocked ||= toTextOrEmpty(readField(event.promptFeedback, "blockReason")) !== "";
    const candidate = candidateOf(event)?.candidate;
    reason = toTextOrEmpty(readField(candidate, "finishReason")) || reason;
    for (const source of untrustedSourceNames(candidate)) taints.add(source);
    const events = toItems(readField(readField(candidate, "content"), "parts"))
      .filter(isObject)
      .flatMap(readPart);
    const startedCalls = collector.push(event).map(namer.named);
    return [
      ...events,
      ...startedCalls.map((call) => ({ kind: "call" as const, id: call.id, tool: call.tool })),
    ];
  };

  const reply = (): ModelReply => {
    if (isBlocked)
      return toModelReply({ text: "", calls: [], usage: readUsage(usage), finish: "filter", taints: [] });
    if (reason === "") throw unreadable("ended too early");
    if (isUnusable(reason)) throw unreadable(`is unusable: the model ended with ${reason}`);
    const calls = collector.calls().map(namer.named);
    return toModelReply({
      text: text.join(""),
      calls,
      usage: readUsage(usage),
      finish: readFinish(reason, calls.length > 0),
      parts: parts.flatMap((part) => readGeneratedMedia(part) ?? []),
      reasoning: thoughts.join(""),
      echo: toGeminiEcho(parts),
      // Tokens of provider tools show that their results were in the prompt.
      taints: toCount(usage.toolUsePromptTokenCount) > 0 ? [...taints, "built_in_tool"] : [...taints],
    });
  };

  return { push, reply };
};

const ownMembers: ReadonlySet<string> = new Set([
  "text",
  "thought",
  "thoughtSignature",
  "functionCall",
  "inlineData",
  "partMetadata",
  "mediaResolution",
  "videoMetadata",
]);

const partSources = (part: ForeignFields): readonly string[] =>
  Object.keys(part)
    .filter((name) => !ownMembers.has(name))
    .map(sourceName);

const finishReasons: Readonly<Record<string, FinishReason>> = {
  STOP: "stop",
  MAX_TOKENS: "length",
  // The continuation is not requested, so the reply is truncated.
  CONTINUATION: "length",
  SAFETY: "filter",
  RECITATION: "filter",
  BLOCKLIST: "filter",
  PROHIBITED_CONTENT: "filter",
  SPII: "filter",
  MODEL_ARMOR: "filter",
  IMAGE_SAFETY: "filter",
  IMAGE_PROHIBITED_CONTENT: "filter",
  IMAGE_RECITATION: "filter",
};

const unusableReasons: ReadonlySet<string> = new Set([
  "MALFORMED_FUNCTION_CALL",
  "MALFORMED_RESPONSE",
  "UNEXPECTED_TOOL_CALL",
]);

/** The reply is unusable, but a retry may succeed. */
const isUnusable = (reason: string): boolean => unusableReasons.has(reason);

const readFinish = (reason: string, hasCalls: boolean): FinishReason => {
  const finish = Object.hasOwn(finishReasons, reason) ? finishReasons[reason]! : "other";
  return hasCalls && (finish === "stop" || finish === "other") ? "calls" : finish;
};
