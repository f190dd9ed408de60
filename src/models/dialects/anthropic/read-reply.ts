import type { Finish, ModelEvent, ModelReply, Usage } from "../../words/model.ts";
import { callCollector, readCalls } from "../read-calls.ts";
import { count, deltaOf, field, itemsOf, type ReplyCollector, textIn, toModelReply } from "../reply.ts";
import { blockCollector } from "./block-collector.ts";
import { toAnthropicEcho } from "./echo.ts";

const textOf = (blocks: readonly unknown[]): string =>
  blocks.map((block) => (field(block, "type") === "text" ? textIn(field(block, "text")) : "")).join("");

const thoughtsOf = (blocks: readonly unknown[]): string =>
  blocks
    .map((block) => (field(block, "type") === "thinking" ? textIn(field(block, "thinking")) : ""))
    .filter((text) => text !== "")
    .join("\n\n");

/** A message, or nothing if it is none. */
export const readAnthropicReply = (body: unknown): ModelReply | undefined => {
  const reason = field(body, "stop_reason");
  if (!Array.isArray(field(body, "content")) || typeof reason !== "string") return undefined;
  const blocks = itemsOf(field(body, "content"));
  return toModelReply({
    text: textOf(blocks),
    calls: readCalls("anthropic", body),
    usage: anthropicUsage(field(body, "usage")),
    finish: anthropicFinish(reason),
    reasoning: thoughtsOf(blocks),
    echo: toAnthropicEcho(blocks),
  });
};

/** The same from events. The reason to stop comes after the last block; without it something is missing. */
export const anthropicReplyCollector = (): ReplyCollector => {
  const calls = callCollector("anthropic");
  const blocks = blockCollector();
  let reason: unknown;
  let usage: unknown;

  const push = (event: unknown): readonly ModelEvent[] => {
    const type = field(event, "type");
    if (type === "message_start") {
      reason = undefined;
      usage = mergedUsage(usage, field(field(event, "message"), "usage"));
    } else if (type === "message_delta") {
      reason = field(field(event, "delta"), "stop_reason") ?? reason;
      usage = mergedUsage(usage, field(event, "usage"));
    }
    const { text, thought } = blocks.push(event);
    const begun = calls.push(event).map(({ id, tool }): ModelEvent => ({ kind: "call", id, tool }));
    return [...deltaOf("reasoning", thought), ...deltaOf("text", text), ...begun];
  };

  const reply = (): ModelReply | undefined =>
    typeof reason !== "string"
      ? undefined
      : toModelReply({
          text: blocks.text(),
          calls: calls.calls(),
          usage: anthropicUsage(usage),
          finish: anthropicFinish(reason),
          reasoning: thoughtsOf(blocks.blocks()),
          echo: toAnthropicEcho(blocks.blocks()),
        });

  return { push, reply };
};

const finishes: Readonly<Record<string, Finish>> = {
  end_turn: "stop",
  stop_sequence: "stop",
  tool_use: "calls",
  max_tokens: "length",
  model_context_window_exceeded: "length",
  refusal: "refusal",
  pause_turn: "pause",
};

const anthropicFinish = (reason: unknown): Finish =>
  typeof reason === "string" && Object.hasOwn(finishes, reason) ? finishes[reason]! : "other";

/** The provider counts cached tokens beside the input tokens, not among them. */
const anthropicUsage = (usage: unknown): Usage => {
  const read = field(usage, "cache_read_input_tokens");
  const written = count(field(usage, "cache_creation_input_tokens"));
  return {
    inputTokens: count(field(usage, "input_tokens")) + count(read) + written,
    outputTokens: count(field(usage, "output_tokens")),
    ...(typeof read === "number" ? { cachedTokens: count(read) } : {}),
  };
};

/** A stream tells what it knows at the start and again at the end, where what it does not repeat still holds. */
const mergedUsage = (before: unknown, after: unknown): Readonly<Record<string, unknown>> => {
  const merged: Record<string, unknown> = { ...(before as object | undefined) };
  for (const [key, value] of Object.entries((after ?? {}) as object)) if (value !== null) merged[key] = value;
  return merged;
};
