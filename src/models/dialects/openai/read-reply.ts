import type { ModelEvent, ModelReply } from "../../../types/model.ts";
import { foreignFieldsOf } from "../calls/wire-reader.ts";
import type { OfferedTool } from "../exporter.ts";
import {
  deltaOf,
  type ReplyCollector,
  readField,
  sourceName,
  toCount,
  toItems,
  toModelReply,
  toTextOrEmpty,
  untrustedSourceNames,
} from "../model-reply.ts";
import { callCollector, readCalls } from "../read-calls.ts";
import { chatFinish, chatUsage } from "./finish.ts";
import { choicesOf } from "./read-calls.ts";
import { withNulls } from "./strict-nulls.ts";
import { reasoningIn, toChatEcho } from "./to-openai-messages.ts";

/** Some compatible servers send content parts, with reasoning between. */
const textOf = (content: unknown): string =>
  typeof content === "string"
    ? content
    : toItems(content)
        .map((part) => (readField(part, "type") === "text" ? toTextOrEmpty(readField(part, "text")) : ""))
        .join("");

const refusalOf = (message: unknown): string => toTextOrEmpty(readField(message, "refusal"));

const replyText = (message: unknown): string => textOf(readField(message, "content")) || refusalOf(message);

export const readOpenAIReply = (body: unknown, tools: readonly OfferedTool[]): ModelReply | undefined => {
  const choices = choicesOf(foreignFieldsOf(body)).filter(
    ({ message }) => typeof message === "object" && message,
  );
  if (choices.length === 0) return undefined;
  const thoughts = choices.flatMap(({ message }) => reasoningIn(message) ?? []);
  const reasoning = thoughts.map(({ text }) => text).join("");
  return toModelReply({
    text: choices.map(({ message }) => replyText(message)).join(""),
    calls: withNulls(readCalls("openai-chat", body), tools),
    usage: chatUsage(readField(body, "usage")),
    finish: chatFinish(
      choices.at(-1)?.finish_reason,
      choices.some(({ message }) => refusalOf(message) !== ""),
    ),
    reasoning,
    echo: toChatEcho(thoughts[0]?.name, reasoning),
    taints: chatSources(body),
  });
};

/** The usage is in the last chunk. */
export const openAIReplyCollector = (tools: readonly OfferedTool[]): ReplyCollector => {
  const calls = callCollector("openai-chat");
  let text = "";
  let isRefused = false;
  let reason: unknown;
  let usage: unknown;
  let reasoning = "";
  let thoughtName: string | undefined;
  const taints = new Set<string>();

  const think = (message: unknown): string => {
    const thoughts = reasoningIn(message);
    if (thoughts === undefined || (thoughtName !== undefined && thoughts.name !== thoughtName)) return "";
    thoughtName = thoughts.name;
    return thoughts.text;
  };

  const push = (chunk: unknown): readonly ModelEvent[] => {
    usage = readField(chunk, "usage") ?? usage;
    for (const source of chatSources(chunk)) taints.add(source);
    let delta = "";
    let thought = "";
    for (const choice of choicesOf(foreignFieldsOf(chunk))) {
      reason = choice.finish_reason ?? reason;
      // Some servers send the whole message at the end.
      const said =
        text === "" && delta === ""
          ? replyText(choice.delta)
            ? choice.delta
            : choice.message
          : choice.delta;
      isRefused ||= refusalOf(said) !== "";
      delta += replyText(said);
      thought += think(
        reasoning === "" ? (reasoningIn(choice.delta) ? choice.delta : choice.message) : choice.delta,
      );
    }
    text += delta;
    reasoning += thought;
    const startedCalls = calls.push(chunk).map(({ id, tool }): ModelEvent => ({ kind: "call", id, tool }));
    return [...deltaOf("reasoning", thought), ...deltaOf("text", delta), ...startedCalls];
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
          taints: [...taints],
        });

  return { push, reply };
};

const ownParts: ReadonlySet<unknown> = new Set(["text", "refusal", "thinking", "reasoning", "output_text"]);

/**
 * Servers report citations in the body (xAI, Perplexity), the choice or the message (OpenAI, Groq, Azure).
 */
const chatSources = (body: unknown): readonly string[] => {
  const choices = choicesOf(foreignFieldsOf(body));
  const messages = choices.flatMap(({ message, delta }) => [message, delta]);
  const parts = messages.flatMap((message) => toItems(readField(message, "content")));
  return [
    ...[body, ...choices, ...messages].flatMap(untrustedSourceNames),
    ...messages.flatMap((message) => untrustedSourceNames(readField(message, "provider_specific_fields"))),
    ...parts.flatMap((part) => {
      const { type } = foreignFieldsOf(part);
      return ownParts.has(type) ? untrustedSourceNames(part) : [sourceName(type)];
    }),
    ...(toCount(readField(readField(body, "usage"), "num_sources_used")) > 0 ? ["num_sources_used"] : []),
  ];
};
