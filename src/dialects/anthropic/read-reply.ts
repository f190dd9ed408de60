import type { ModelEvent, ModelReply } from "../../words/model.ts";
import { callCollector, readCalls } from "../read-calls.ts";
import { field, itemsOf, type ReplyCollector, textIn, toReply } from "../reply.ts";
import { blockCollector } from "./block-collector.ts";
import { toAnthropicEcho } from "./echo.ts";
import { anthropicFinish, anthropicUsage, mergedUsage } from "./finish.ts";

const textOf = (blocks: readonly unknown[]): string =>
  blocks.map((block) => (field(block, "type") === "text" ? textIn(field(block, "text")) : "")).join("");

/** A message, or nothing if it is none. */
export const readAnthropicReply = (body: unknown): ModelReply | undefined => {
  const reason = field(body, "stop_reason");
  if (!Array.isArray(field(body, "content")) || typeof reason !== "string") return undefined;
  const blocks = itemsOf(field(body, "content"));
  return toReply({
    text: textOf(blocks),
    calls: readCalls("anthropic", body),
    usage: anthropicUsage(field(body, "usage")),
    finish: anthropicFinish(reason),
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
    const text = blocks.push(event);
    const begun = calls.push(event).map(({ id, tool }): ModelEvent => ({ kind: "call", id, tool }));
    return text === "" ? begun : [{ kind: "text", text }, ...begun];
  };

  const reply = (): ModelReply | undefined =>
    typeof reason !== "string"
      ? undefined
      : toReply({
          text: blocks.text(),
          calls: calls.calls(),
          usage: anthropicUsage(usage),
          finish: anthropicFinish(reason),
          echo: toAnthropicEcho(blocks.blocks()),
        });

  return { push, reply };
};
