import type { RawCall } from "../../words/call.ts";
import type { ModelEvent, ModelReply } from "../../words/model.ts";
import type { OfferedTool } from "../listed.ts";
import { callCollector, readCalls } from "../read-calls.ts";
import { deltaOf, field, itemsOf, type ReplyCollector, textIn, toModelReply } from "../reply.ts";
import { responsesFinish, responsesUsage } from "./finish.ts";
import { isRefusal, itemText, itemThoughts, toResponsesEcho } from "./responses-echo.ts";
import { madeImage } from "./responses-media.ts";
import { withNulls } from "./with-nulls.ts";

const isOver = (response: unknown): boolean => {
  const status = field(response, "status");
  return status === "completed" || status === "incomplete";
};

const textOf = (items: readonly unknown[]): string =>
  items.map((item) => (field(item, "type") === "message" ? itemText(item) : "")).join("");

interface Gathered {
  readonly response: unknown;
  readonly items: readonly unknown[];
  readonly text: string;
  readonly calls: readonly RawCall[];
  /** A refusal was heard, though no item may hold it. */
  readonly isRefused: boolean;
}

const whole = ({ response, items, text, calls, isRefused }: Gathered): ModelReply =>
  toModelReply({
    text,
    calls,
    usage: responsesUsage(field(response, "usage")),
    finish: responsesFinish(response, isRefused || items.some(isRefusal)),
    parts: items.flatMap((item) => madeImage(item) ?? []),
    reasoning: items
      .map(itemThoughts)
      .filter((text) => text !== "")
      .join("\n\n"),
    echo: toResponsesEcho(items),
  });

/** A response, or nothing if it is none or not at its end. */
export const readResponsesReply = (body: unknown, tools: readonly OfferedTool[]): ModelReply | undefined => {
  if (!isOver(body) || !Array.isArray(field(body, "output"))) return undefined;
  const items = itemsOf(field(body, "output"));
  const calls = withNulls(readCalls("openai-responses", body), tools);
  return whole({ response: body, items, text: textOf(items), calls, isRefused: false });
};

/**
 * The same from events. Items count once they are done; the last event has the usage and says how it ended, and may
 * be the first to hold an item. A text that no delta brought is told when it is whole.
 */
export const responsesReplyCollector = (tools: readonly OfferedTool[]): ReplyCollector => {
  const calls = callCollector("openai-responses");
  const done: unknown[] = [];
  const heard = new Set<string>();
  let text = "";
  let isRefused = false;
  let response: unknown;

  const items = (): readonly unknown[] => {
    const last = itemsOf(field(response, "output"));
    return last.length > done.length ? last : done;
  };

  const readText = (event: unknown, type: string): string => {
    const kind = textEvent.exec(type);
    if (kind === null) return "";
    const [, what, how] = kind;
    isRefused ||= what === "refusal";
    const place = `${field(event, "output_index")}/${field(event, "content_index")}`;
    if (how === "done")
      return heard.has(place) ? "" : textIn(field(event, what === "refusal" ? what : "text"));
    heard.add(place);
    return textIn(field(event, "delta"));
  };

  const push = (event: unknown): readonly ModelEvent[] => {
    const type = textIn(field(event, "type"));
    if (type === "response.output_item.done") done.push(field(event, "item"));
    const status = type.slice("response.".length);
    if (isOver({ status })) response = { ...(field(event, "response") as object | undefined), status };
    const delta = readText(event, type) || (isOver(response) && text === "" ? textOf(items()) : "");
    text += delta;
    const begun = calls.push(event).map(({ id, tool }): ModelEvent => ({ kind: "call", id, tool }));
    return [...deltaOf("reasoning", readThought(event, type)), ...deltaOf("text", delta), ...begun];
  };

  const reply = (): ModelReply | undefined =>
    isOver(response)
      ? whole({
          response,
          items: items(),
          text: textOf(items()) || text,
          calls: withNulls(calls.calls(), tools),
          isRefused,
        })
      : undefined;

  return { push, reply };
};

/** A new summary, or a new piece of thoughts, begins a paragraph of its own. */
const readThought = (event: unknown, type: string): string => {
  if (type === "response.reasoning_summary_part.added") {
    return field(event, "summary_index") === 0 ? "" : "\n\n";
  }
  const isDelta =
    type === "response.reasoning_summary_text.delta" || type === "response.reasoning_text.delta";
  return isDelta ? textIn(field(event, "delta")) : "";
};

const textEvent = /^response\.(output_text|refusal)\.(delta|done)$/;
