import {
  addPiece,
  type CallDraft,
  type CallDrafts,
  endDraft,
  messageOrder,
  placeIn,
  replaceArguments,
} from "../calls/call-drafts.ts";
import {
  type EventReader,
  eventTable,
  type ForeignFields,
  foreignFieldsOf,
  foreignListOf,
  foreignTextOf,
  toIndex,
} from "../calls/wire-reader.ts";
import { type ResponseItem, toResponseItem } from "./response-item.ts";

export const readOpenAIResponse = (drafts: CallDrafts, body: ForeignFields): void => {
  let last: CallDraft | undefined;
  for (const [place, entry] of foreignListOf(body.output).entries()) {
    const item = toResponseItem(foreignFieldsOf(entry));
    last = item && drafts.add({ ...item, part: `/output/${place}` });
    if (last !== undefined && item?.incomplete) last.state = "open";
  }
  if (body.status === "incomplete" && last?.state === "ended") endDraft(last, true);
};

/** Arguments arrive up to four times; the last ones win. */
export const openAIResponseEvents = (drafts: CallDrafts): EventReader => {
  const order = messageOrder();
  const placed = new Map<number, CallDraft>();
  const items = new Map<string, CallDraft>();
  const known = new Map<string, CallDraft>();
  const unfinished = new Set<CallDraft>();
  let last: CallDraft | undefined;

  const find = ({ output_index: place, item_id: id }: ForeignFields): CallDraft | undefined => {
    const found = placed.get(toIndex(place) ?? -1) ?? items.get(foreignTextOf(id) ?? "");
    return found ?? (place === undefined && id === undefined ? last : undefined);
  };

  const begin = (place: number | undefined, item: ForeignFields): CallDraft => {
    const draft = drafts.begin(order.at(place));
    draft.part = `/output/${placeIn(draft.order)}`;
    if (place !== undefined) placed.set(place, draft);
    const id = foreignTextOf(item.id);
    if (id !== undefined) items.set(id, draft);
    unfinished.add(draft);
    last = draft;
    return draft;
  };

  /** The last id is the one to answer. */
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
    replaceArguments(draft, item.input);
    if (item.incomplete) draft.state = "open";
    else endDraft(draft);
    unfinished.delete(draft);
  };

  const readItem = (event: ForeignFields, done: boolean): void => {
    const entry = foreignFieldsOf(event.item);
    const item = toResponseItem(entry);
    const place = toIndex(event.output_index);
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
    draft.initial = foreignTextOf(item.input);
  };

  const readEnd = (event: ForeignFields): void => {
    const response = foreignFieldsOf(event.response);
    const completed = response.status === undefined || response.status === "completed";
    const unseen = known.size === 0;
    for (const [place, entry] of foreignListOf(response.output).entries()) {
      const item = toResponseItem(foreignFieldsOf(entry));
      if (item === undefined) continue;
      const near = known.get(item.id ?? "") ?? placed.get(place);
      const open = near !== undefined && (near.id === item.id || unfinished.has(near)) ? near : undefined;
      const draft = open ?? (unseen ? begin(place, foreignFieldsOf(entry)) : undefined);
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

  const readDelta = (event: ForeignFields): void => {
    const draft = find(event);
    if (draft !== undefined) addPiece(draft, event.delta);
  };

  const readDone = (event: ForeignFields): void => {
    const draft = find(event);
    if (draft === undefined) return;
    replaceArguments(draft, event.arguments ?? event.input);
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
