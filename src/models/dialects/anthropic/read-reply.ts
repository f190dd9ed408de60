import type { FinishReason, ModelEvent, ModelReply, Usage } from "../../../types/model.ts";
import { foreignFieldsOf } from "../calls/read-untyped-fields.ts";
import {
  deltaOf,
  type ReplyCollector,
  readField,
  toCount,
  toItems,
  toModelReply,
  toTextOrEmpty,
} from "../model-reply.ts";
import { callCollector, readCalls } from "../read-calls.ts";
import { sourceName, untrustedSourceNames } from "../untrusted-sources.ts";
import { blockCollector } from "./block-collector.ts";
import { toAnthropicEcho } from "./echo.ts";
import { isToolSearch } from "./tool-search.ts";

const textOf = (blocks: readonly unknown[]): string =>
  blocks
    .map((block) => (readField(block, "type") === "text" ? toTextOrEmpty(readField(block, "text")) : ""))
    .join("");

const thoughtsOf = (blocks: readonly unknown[]): string =>
  blocks
    .map((block) =>
      readField(block, "type") === "thinking" ? toTextOrEmpty(readField(block, "thinking")) : "",
    )
    .filter((text) => text !== "")
    .join("\n\n");

export const readAnthropicReply = (body: unknown): ModelReply | undefined => {
  const reason = readField(body, "stop_reason");
  if (!Array.isArray(readField(body, "content")) || typeof reason !== "string") return undefined;
  const blocks = toItems(readField(body, "content"));
  return toModelReply({
    text: textOf(blocks),
    calls: readCalls("anthropic", body),
    usage: anthropicUsage(readField(body, "usage")),
    finish: anthropicFinish(reason),
    reasoning: thoughtsOf(blocks),
    echo: toAnthropicEcho(blocks),
    taints: blocks.flatMap(blockSources),
  });
};

/** Without a stop reason, which follows the last block, the reply is incomplete. */
export const anthropicReplyCollector = (): ReplyCollector => {
  const calls = callCollector("anthropic");
  const blocks = blockCollector();
  let reason: unknown;
  let usage: unknown;

  const push = (event: unknown): readonly ModelEvent[] => {
    const type = readField(event, "type");
    if (type === "message_start") {
      reason = undefined;
      usage = mergeUsage(usage, readField(readField(event, "message"), "usage"));
    } else if (type === "message_delta") {
      reason = readField(readField(event, "delta"), "stop_reason") ?? reason;
      usage = mergeUsage(usage, readField(event, "usage"));
    }
    const { text, thought } = blocks.push(event);
    const startedCalls = calls.push(event).map(({ id, tool }): ModelEvent => ({ kind: "call", id, tool }));
    return [...deltaOf("reasoning", thought), ...deltaOf("text", text), ...startedCalls];
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
          taints: blocks.blocks().flatMap(blockSources),
        });

  return { push, reply };
};

const finishReasons: Readonly<Record<string, FinishReason>> = {
  end_turn: "stop",
  stop_sequence: "stop",
  tool_use: "calls",
  max_tokens: "length",
  model_context_window_exceeded: "length",
  refusal: "refusal",
  pause_turn: "pause",
};

const anthropicFinish = (reason: unknown): FinishReason =>
  typeof reason === "string" && Object.hasOwn(finishReasons, reason) ? finishReasons[reason]! : "other";

/** The provider excludes cached tokens from the input tokens. */
const anthropicUsage = (usage: unknown): Usage => {
  const read = readField(usage, "cache_read_input_tokens");
  const written = toCount(readField(usage, "cache_creation_input_tokens"));
  return {
    inputTokens: toCount(readField(usage, "input_tokens")) + toCount(read) + written,
    outputTokens: toCount(readField(usage, "output_tokens")),
    ...(typeof read === "number" ? { cachedTokens: toCount(read) } : {}),
  };
};

/** Usage at the end omits values that were sent at the start and still apply. */
const mergeUsage = (before: unknown, after: unknown): Readonly<Record<string, unknown>> => {
  const merged: Record<string, unknown> = { ...(before as object | undefined) };
  for (const [key, value] of Object.entries((after ?? {}) as object)) if (value !== null) merged[key] = value;
  return merged;
};

const ownBlocks: ReadonlySet<unknown> = new Set(["text", "tool_use", "thinking", "redacted_thinking"]);

/** Provider tool search returns only offered definitions, so it is not a source of untrusted content. */
const blockSources = (block: unknown): readonly string[] => {
  const { type, name } = foreignFieldsOf(block);
  if (isToolSearch(foreignFieldsOf(block))) return [];
  if (ownBlocks.has(type)) return untrustedSourceNames(block);
  return [sourceName(type === "server_tool_use" || type === "mcp_tool_use" ? name : type)];
};
