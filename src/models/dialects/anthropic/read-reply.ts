import type { FinishReason, ModelEvent, ModelReply, Usage } from "../../../types/model.ts";
import { foreignFieldsOf } from "../calls/wire-reader.ts";
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
import { toAnthropicEcho } from "./to-anthropic-messages.ts";
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

type Block = Record<string, unknown>;

interface BlockCollector {
  readonly push: (event: unknown) => { readonly text: string; readonly thought: string };
  readonly text: () => string;
  readonly blocks: () => readonly Readonly<Block>[];
}

const isFirstPiece = (block: Block | undefined, piece: string): boolean => block?.thinking === piece;

const parseInput = (json: string): unknown => {
  try {
    return JSON.parse(json);
  } catch {
    return {};
  }
};

/** The input of the model's own calls is collected elsewhere. */
const blockCollector = (): BlockCollector => {
  const blocks: Block[] = [];
  /** Indexes restart with each message. */
  let open = new Map<unknown, Block>();
  const inputs = new Map<Block, string[]>();
  let text = "";
  let thought = "";
  let hasThought = false;

  const start = (event: unknown): string => {
    const block = { ...(readField(event, "content_block") as Block | undefined) };
    open.set(readField(event, "index"), block);
    blocks.push(block);
    if (block.type === "thinking") thought = toTextOrEmpty(block.thinking);
    return block.type === "text" ? toTextOrEmpty(block.text) : "";
  };

  const add = (event: unknown): string => {
    const block = open.get(readField(event, "index"));
    const delta = readField(event, "delta");
    if (block === undefined) return "";
    const grow = (key: string): string => {
      const more = toTextOrEmpty(readField(delta, key));
      block[key] = toTextOrEmpty(block[key]) + more;
      return more;
    };
    const type = readField(delta, "type");
    if (type === "text_delta") return grow("text");
    if (type === "citations_delta") {
      block.citations = [...toItems(block.citations), readField(delta, "citation")];
    } else if (type === "thinking_delta") thought = grow("thinking");
    else if (type === "signature_delta") grow("signature");
    else if (type === "input_json_delta" && block.type !== "tool_use") {
      const pieces = inputs.get(block) ?? [];
      pieces.push(toTextOrEmpty(readField(delta, "partial_json")));
      inputs.set(block, pieces);
    }
    return "";
  };

  const stop = (event: unknown): void => {
    const block = open.get(readField(event, "index"));
    const pieces = block && inputs.get(block);
    if (block !== undefined && pieces !== undefined) block.input = parseInput(pieces.join("") || "{}");
  };

  const push: BlockCollector["push"] = (event) => {
    const type = readField(event, "type");
    let more = "";
    thought = "";
    if (type === "message_start") open = new Map();
    else if (type === "content_block_start") more = start(event);
    else if (type === "content_block_delta") more = add(event);
    else if (type === "content_block_stop") stop(event);
    text += more;
    if (thought === "") return { text: more, thought };
    // Each further thinking block starts a paragraph.
    const isNext = hasThought && isFirstPiece(open.get(readField(event, "index")), thought);
    hasThought = true;
    return { text: more, thought: isNext ? `\n\n${thought}` : thought };
  };

  return { push, text: () => text, blocks: () => blocks };
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
