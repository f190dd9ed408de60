import type { RawCall } from "../../words/call.ts";
import type { ModelEvent, ModelReply } from "../../words/model.ts";
import type { OfferedTool } from "../listed.ts";
import { callCollector, readCalls } from "../read-calls.ts";
import { field, itemsOf, type ReplyCollector, textIn, toModelReply } from "../reply.ts";
import { responsesFinish, responsesUsage } from "./finish.ts";
import { itemText, toResponsesEcho } from "./responses-echo.ts";
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
}

const whole = ({ response, items, text, calls }: Gathered): ModelReply =>
  toModelReply({
    text,
    calls,
    usage: responsesUsage(field(response, "usage")),
    finish: responsesFinish(response),
    echo: toResponsesEcho(items),
  });

/** A response, or nothing if it is none or not at its end. */
export const readResponsesReply = (body: unknown, tools: readonly OfferedTool[]): ModelReply | undefined => {
  if (!isOver(body) || !Array.isArray(field(body, "output"))) return undefined;
  const items = itemsOf(field(body, "output"));
  const calls = withNulls(readCalls("openai-responses", body), tools);
  return whole({ response: body, items, text: textOf(items), calls });
};

/** The same from events. Items count once they are done; the last event has the usage and says how it ended. */
export const responsesReplyCollector = (tools: readonly OfferedTool[]): ReplyCollector => {
  const calls = callCollector("openai-responses");
  const items: unknown[] = [];
  let text = "";
  let response: unknown;

  const push = (event: unknown): readonly ModelEvent[] => {
    const type = field(event, "type");
    const isText = type === "response.output_text.delta" || type === "response.refusal.delta";
    const delta = isText ? textIn(field(event, "delta")) : "";
    text += delta;
    if (type === "response.output_item.done") items.push(field(event, "item"));
    const status = typeof type === "string" ? type.slice("response.".length) : "";
    if (isOver({ status })) response = { ...(field(event, "response") as object | undefined), status };
    const begun = calls.push(event).map(({ id, tool }): ModelEvent => ({ kind: "call", id, tool }));
    return delta === "" ? begun : [{ kind: "text", text: delta }, ...begun];
  };

  const reply = (): ModelReply | undefined =>
    isOver(response)
      ? whole({ response, items, text: textOf(items) || text, calls: withNulls(calls.calls(), tools) })
      : undefined;

  return { push, reply };
};
