import { addPiece, type CallDraft, endDraft, replaceWith } from "../calls/draft.ts";
import type { Drafts } from "../calls/drafts.ts";
import { eventTable } from "../calls/event-table.ts";
import { type Fields, fieldsOf, listOf, placeOf, textOf } from "../calls/fields.ts";
import { messageOrder, placeIn } from "../calls/message-order.ts";
import type { EventReader } from "../calls/wire-reader.ts";
import { type ResponseItem, toResponseItem } from "./response-item.ts";

/**
 * The events of a response. The arguments come up to four times: as deltas, when they are done, with their
 * item and with the response. The last of them stands; none is added to another.
 */
export const openAIResponseEvents = (drafts: Drafts): EventReader => {
  const order = messageOrder();
  const placed = new Map<number, CallDraft>();
  const items = new Map<string, CallDraft>();
  const known = new Map<string, CallDraft>();
  const unfinished = new Set<CallDraft>();
  let last: CallDraft | undefined;

  const find = ({ output_index: place, item_id: id }: Fields): CallDraft | undefined => {
    const found = placed.get(placeOf(place) ?? -1) ?? items.get(textOf(id) ?? "");
    return found ?? (place === undefined && id === undefined ? last : undefined);
  };

  const begin = (place: number | undefined, item: Fields): CallDraft => {
    const draft = drafts.begin(order.at(place));
    draft.part = `/output/${placeIn(draft.order)}`;
    if (place !== undefined) placed.set(place, draft);
    const id = textOf(item.id);
    if (id !== undefined) items.set(id, draft);
    unfinished.add(draft);
    last = draft;
    return draft;
  };

  /** Ids may change on the way; the last ones said are those to answer. */
  const note = (draft: CallDraft, item: ResponseItem): void => {
    if (item.id !== undefined) {
      draft.id = item.id;
      known.set(item.id, draft);
    }
    draft.providerExecuted = item.providerExecuted;
    if (draft.tool === "") drafts.name(draft, item.tool);
  };

  const settle = (draft: CallDraft, item: ResponseItem): void => {
    note(draft, item);
    replaceWith(draft, item.input);
    if (item.incomplete) draft.state = "open";
    else endDraft(draft);
    unfinished.delete(draft);
  };

  const readItem = (event: Fields, done: boolean): void => {
    const entry = fieldsOf(event.item);
    const item = toResponseItem(entry);
    const place = placeOf(event.output_index);
    if (item === undefined) {
      if (!done) last = undefined;
      return;
    }
    if (done) {
      settle(find({ output_index: place, item_id: entry.id }) ?? begin(place, entry), item);
      return;
    }
    const draft = begin(place, entry);
    note(draft, item);
    draft.initial = textOf(item.input);
  };

  const readEnd = (event: Fields): void => {
    const response = fieldsOf(event.response);
    const completed = response.status === undefined || response.status === "completed";
    const unseen = known.size === 0;
    for (const [place, entry] of listOf(response.output).entries()) {
      const item = toResponseItem(fieldsOf(entry));
      if (item === undefined) continue;
      const near = known.get(item.id ?? "") ?? placed.get(place);
      const open = near !== undefined && (near.id === item.id || unfinished.has(near)) ? near : undefined;
      const draft = open ?? (unseen ? begin(place, fieldsOf(entry)) : undefined);
      if (draft !== undefined) settle(draft, item);
    }
    for (const draft of unfinished) endDraft(draft, !completed);
    unfinished.clear();
    if (!completed && last?.state === "ended") endDraft(last, true);
  };

  const restart = (): void => {
    order.nextMessage();
    for (const map of [placed, items, known]) map.clear();
    unfinished.clear();
    last = undefined;
  };

  const readDelta = (event: Fields): void => {
    const draft = find(event);
    if (draft !== undefined) addPiece(draft, event.delta);
  };

  const readDone = (event: Fields): void => {
    const draft = find(event);
    if (draft === undefined) return;
    replaceWith(draft, event.arguments ?? event.input);
    endDraft(draft);
  };

  return eventTable("type", {
    "response.created": restart,
    "response.output_item.added": (event) => readItem(event, false),
    "response.output_item.done": (event) => readItem(event, true),
    "response.function_call_arguments.delta": readDelta,
    "response.custom_tool_call_input.delta": readDelta,
    "response.mcp_call_arguments.delta": readDelta,
    "response.function_call_arguments.done": readDone,
    "response.custom_tool_call_input.done": readDone,
    "response.mcp_call_arguments.done": readDone,
    "response.completed": readEnd,
    "response.incomplete": readEnd,
  });
};
