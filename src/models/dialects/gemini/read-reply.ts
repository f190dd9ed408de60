import { isObject } from "../../json/is-object.ts";
import { ModelError } from "../../words/errors.ts";
import type { Message } from "../../words/message.ts";
import type { Finish, ModelEvent, ModelReply, Usage } from "../../words/model.ts";
import { callNamer } from "../call-namer.ts";
import type { Fields } from "../calls/fields.ts";
import { objectArguments } from "../object-arguments.ts";
import { callCollector } from "../read-calls.ts";
import { count, deltaOf, field, itemsOf, textIn, toModelReply } from "../reply.ts";
import { candidateOf } from "./candidate.ts";
import { madeMedia, toEcho } from "./echo.ts";

/** Thoughts are paid for as output, and what built-in tools found as input. */
const readUsage = (usage: Fields): Usage => ({
  inputTokens: count(usage.promptTokenCount) + count(usage.toolUsePromptTokenCount),
  outputTokens: count(usage.candidatesTokenCount) + count(usage.thoughtsTokenCount),
  ...(usage.cachedContentTokenCount === undefined
    ? {}
    : { cachedTokens: count(usage.cachedContentTokenCount) }),
});

/** The vendor takes back nothing but objects. */
const withObjectArguments = (part: Fields): Fields => {
  const { functionCall } = part;
  if (!isObject(functionCall) || typeof functionCall.args !== "string") return part;
  return { ...part, functionCall: { ...functionCall, args: objectArguments(functionCall.args) } };
};

/** Reads the events of a stream, or a whole body as the only one. A reply without its end is an error. */
export const geminiReader = (id: string, messages: readonly Message[]) => {
  const collector = callCollector("gemini");
  const namer = callNamer("gemini", messages);
  const parts: Fields[] = [];
  const text: string[] = [];
  const thoughts: string[] = [];
  let usage: Fields = {};
  let reason = "";
  let isBlocked = false;

  const unreadable = (what: string): ModelError =>
    new ModelError("model_unreadable", `${id}: the provider's answer ${what}.`);

  const readPart = (part: Fields): readonly ModelEvent[] => {
    parts.push(withObjectArguments(part));
    namer.wrote(field(part.functionCall, "id"));
    const said = textIn(part.text);
    const kind = part.thought === true ? "reasoning" : "text";
    (kind === "text" ? text : thoughts).push(said);
    return deltaOf(kind, said);
  };

  const push = (event: unknown): readonly ModelEvent[] => {
    if (!isObject(event)) throw unreadable("is not an object");
    const { usageMetadata } = event;
    if (isObject(usageMetadata)) usage = { ...usage, ...usageMetadata };
    isBlocked ||= textIn(field(event.promptFeedback, "blockReason")) !== "";
    const candidate = candidateOf(event)?.candidate;
    reason = textIn(field(candidate, "finishReason")) || reason;
    const events = itemsOf(field(field(candidate, "content"), "parts"))
      .filter(isObject)
      .flatMap(readPart);
    const begun = collector.push(event).map(namer.named);
    return [...events, ...begun.map((call) => ({ kind: "call" as const, id: call.id, tool: call.tool }))];
  };

  const reply = (): ModelReply => {
    if (isBlocked) return toModelReply({ text: "", calls: [], usage: readUsage(usage), finish: "filter" });
    if (reason === "") throw unreadable("ended before it was finished");
    if (isSpoiled(reason)) throw unreadable(`is spoiled: the model ended with ${reason}`);
    const calls = collector.calls().map(namer.named);
    return toModelReply({
      text: text.join(""),
      calls,
      usage: readUsage(usage),
      finish: readFinish(reason, calls.length > 0),
      parts: parts.flatMap((part) => madeMedia(part) ?? []),
      reasoning: thoughts.join(""),
      echo: toEcho(parts),
    });
  };

  return { push, reply };
};

const finishes: Readonly<Record<string, Finish>> = {
  STOP: "stop",
  MAX_TOKENS: "length",
  // The rest would have to be asked for; nobody does, so the reply is cut off.
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

const spoiled: ReadonlySet<string> = new Set([
  "MALFORMED_FUNCTION_CALL",
  "MALFORMED_RESPONSE",
  "UNEXPECTED_TOOL_CALL",
]);

/** Reasons that say there is no reply to read, though one may come when the model is asked again. */
const isSpoiled = (reason: string): boolean => spoiled.has(reason);

/** Reasons that nobody knows yet end a reply all the same. */
const readFinish = (reason: string, hasCalls: boolean): Finish => {
  const finish = Object.hasOwn(finishes, reason) ? finishes[reason]! : "other";
  return hasCalls && (finish === "stop" || finish === "other") ? "calls" : finish;
};
