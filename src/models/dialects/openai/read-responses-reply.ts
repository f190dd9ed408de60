import type { RawCall } from "../../../types/call.ts";
import type { ModelEvent, ModelReply } from "../../../types/model.ts";
import type { OfferedTool } from "../exporter.ts";
import {
  deltaOf,
  type ReplyCollector,
  readField,
  toItems,
  toModelReply,
  toTextOrEmpty,
} from "../model-reply.ts";
import { callCollector, readCalls } from "../read-calls.ts";
import { responseSources, responsesFinish, responsesUsage } from "./finish.ts";
import { withNulls } from "./strict-nulls.ts";
import {
  isRefusalItem,
  itemText,
  itemThoughts,
  readGeneratedImage,
  toResponsesEcho,
} from "./to-responses-input.ts";

const isFinished = (response: unknown): boolean => {
  const status = readField(response, "status");
  return status === "completed" || status === "incomplete";
};

const textOf = (items: readonly unknown[]): string =>
  items.map((item) => (readField(item, "type") === "message" ? itemText(item) : "")).join("");

interface ResponseParts {
  readonly response: unknown;
  readonly items: readonly unknown[];
  readonly text: string;
  readonly calls: readonly RawCall[];
  readonly isRefused: boolean;
  readonly tools: readonly OfferedTool[];
}

const buildReply = ({ response, items, text, calls, isRefused, tools }: ResponseParts): ModelReply =>
  toModelReply({
    text,
    calls,
    usage: responsesUsage(readField(response, "usage")),
    finish: responsesFinish(response, isRefused || items.some(isRefusalItem)),
    parts: items.flatMap((item) => readGeneratedImage(item) ?? []),
    reasoning: items
      .map(itemThoughts)
      .filter((text) => text !== "")
      .join("\n\n"),
    echo: toResponsesEcho(items),
    taints: items.flatMap((item) => responseSources(item, tools)),
  });

/** Undefined unless the response is finished. */
export const readResponsesReply = (body: unknown, tools: readonly OfferedTool[]): ModelReply | undefined => {
  if (!isFinished(body) || !Array.isArray(readField(body, "output"))) return undefined;
  const items = toItems(readField(body, "output"));
  const calls = withNulls(readCalls("openai-responses", body), tools);
  return buildReply({ response: body, items, text: textOf(items), calls, isRefused: false, tools });
};

/** The last event may contain items that were not streamed. */
export const responsesReplyCollector = (tools: readonly OfferedTool[]): ReplyCollector => {
  const calls = callCollector("openai-responses");
  const done: unknown[] = [];
  const finished = new Set<string>();
  let text = "";
  let isRefused = false;
  let response: unknown;

  const items = (): readonly unknown[] => {
    const last = toItems(readField(response, "output"));
    return last.length > done.length ? last : done;
  };

  const readText = (event: unknown, type: string): string => {
    const kind = textEvent.exec(type);
    if (kind === null) return "";
    const [, what, how] = kind;
    isRefused ||= what === "refusal";
    const place = `${readField(event, "output_index")}/${readField(event, "content_index")}`;
    if (how === "done")
      return finished.has(place) ? "" : toTextOrEmpty(readField(event, what === "refusal" ? what : "text"));
    finished.add(place);
    return toTextOrEmpty(readField(event, "delta"));
  };

  const push = (event: unknown): readonly ModelEvent[] => {
    const type = toTextOrEmpty(readField(event, "type"));
    if (type === "response.output_item.done") done.push(readField(event, "item"));
    const status = type.slice("response.".length);
    if (isFinished({ status }))
      response = { ...(readField(event, "response") as object | undefined), status };
    const delta = readText(event, type) || (isFinished(response) && text === "" ? textOf(items()) : "");
    text += delta;
    const startedCalls = calls.push(event).map(({ id, tool }): ModelEvent => ({ kind: "call", id, tool }));
    return [...deltaOf("reasoning", readThought(event, type)), ...deltaOf("text", delta), ...startedCalls];
  };

  const reply = (): ModelReply | undefined =>
    isFinished(response)
      ? buildReply({
          response,
          items: items(),
          text: textOf(items()) || text,
          calls: withNulls(calls.calls(), tools),
          isRefused,
          tools,
        })
      : undefined;

  return { push, reply };
};

/** Each further summary starts a paragraph. */
const readThought = (event: unknown, type: string): string => {
  if (type === "response.reasoning_summary_part.added") {
    return readField(event, "summary_index") === 0 ? "" : "\n\n";
  }
  const isDelta =
    type === "response.reasoning_summary_text.delta" || type === "response.reasoning_text.delta";
  return isDelta ? toTextOrEmpty(readField(event, "delta")) : "";
};

const textEvent = /^response\.(output_text|refusal)\.(delta|done)$/;
