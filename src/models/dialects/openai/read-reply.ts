import type { ModelEvent, ModelReply } from "../../words/model.ts";
import { fieldsOf } from "../calls/fields.ts";
import type { OfferedTool } from "../listed.ts";
import { callCollector, readCalls } from "../read-calls.ts";
import { deltaOf, field, itemsOf, type ReplyCollector, textIn, toModelReply } from "../reply.ts";
import { thoughtsIn, toChatEcho } from "./chat-echo.ts";
import { choicesOf } from "./chat-finish.ts";
import { chatFinish, chatUsage } from "./finish.ts";
import { withNulls } from "./with-nulls.ts";

/** Some servers of this dialect say their text in parts, with thoughts between. */
const textOf = (content: unknown): string =>
  typeof content === "string"
    ? content
    : itemsOf(content)
        .map((part) => (field(part, "type") === "text" ? textIn(field(part, "text")) : ""))
        .join("");

const refusalOf = (message: unknown): string => textIn(field(message, "refusal"));

const spoken = (message: unknown): string => textOf(field(message, "content")) || refusalOf(message);

/** A chat completion, or nothing if it is none. */
export const readOpenAIReply = (body: unknown, tools: readonly OfferedTool[]): ModelReply | undefined => {
  const choices = choicesOf(fieldsOf(body)).filter(({ message }) => typeof message === "object" && message);
  if (choices.length === 0) return undefined;
  const thoughts = choices.flatMap(({ message }) => thoughtsIn(message) ?? []);
  const reasoning = thoughts.map(({ text }) => text).join("");
  return toModelReply({
    text: choices.map(({ message }) => spoken(message)).join(""),
    calls: withNulls(readCalls("openai-chat", body), tools),
    usage: chatUsage(field(body, "usage")),
    finish: chatFinish(
      choices.at(-1)?.finish_reason,
      choices.some(({ message }) => refusalOf(message) !== ""),
    ),
    reasoning,
    echo: toChatEcho(thoughts[0]?.name, reasoning),
  });
};

/** The same from chunks. The usage comes last, in a chunk without choices. */
export const openAIReplyCollector = (tools: readonly OfferedTool[]): ReplyCollector => {
  const calls = callCollector("openai-chat");
  let text = "";
  let isRefused = false;
  let reason: unknown;
  let usage: unknown;
  let reasoning = "";
  let thoughtName: string | undefined;

  const think = (message: unknown): string => {
    const thoughts = thoughtsIn(message);
    if (thoughts === undefined || (thoughtName !== undefined && thoughts.name !== thoughtName)) return "";
    thoughtName = thoughts.name;
    return thoughts.text;
  };

  const push = (chunk: unknown): readonly ModelEvent[] => {
    usage = field(chunk, "usage") ?? usage;
    let delta = "";
    let thought = "";
    for (const choice of choicesOf(fieldsOf(chunk))) {
      reason = choice.finish_reason ?? reason;
      // Some say the whole message at the end, with deltas before it or without.
      const said =
        text === "" && delta === "" ? (spoken(choice.delta) ? choice.delta : choice.message) : choice.delta;
      isRefused ||= refusalOf(said) !== "";
      delta += spoken(said);
      thought += think(
        reasoning === "" ? (thoughtsIn(choice.delta) ? choice.delta : choice.message) : choice.delta,
      );
    }
    text += delta;
    reasoning += thought;
    const begun = calls.push(chunk).map(({ id, tool }): ModelEvent => ({ kind: "call", id, tool }));
    return [...deltaOf("reasoning", thought), ...deltaOf("text", delta), ...begun];
  };

  const reply = (): ModelReply | undefined =>
    reason === undefined
      ? undefined
      : toModelReply({
          text,
          calls: withNulls(calls.calls(), tools),
          usage: chatUsage(usage),
          finish: chatFinish(reason, isRefused),
          reasoning,
          echo: toChatEcho(thoughtName, reasoning),
        });

  return { push, reply };
};
