import { isObject } from "../../../base/json/json-value.ts";
import {
  addPiece,
  type CallDraft,
  type CallDrafts,
  endDraft,
  messageOrder,
  placeIn,
} from "../calls/call-drafts.ts";
import {
  type EventReader,
  type ForeignFields,
  foreignFieldsOf,
  foreignListOf,
  foreignTextOf,
  toIndex,
} from "../calls/wire-reader.ts";

/** `at` is the message's pointer. */
export const readChatMessage = (
  drafts: CallDrafts,
  message: ForeignFields,
  at: string,
  cut: boolean,
): void => {
  const list = foreignListOf(message.tool_calls).map(foreignFieldsOf);
  const legacy = list.length === 0 && isObject(message.function_call) ? message.function_call : undefined;
  const found = list.map((call, place) => {
    const custom = foreignFieldsOf(call.custom);
    const { name, arguments: input } = foreignFieldsOf(call.function);
    const tool = foreignTextOf(name) ?? foreignTextOf(custom.name);
    const part = `${at}/tool_calls/${place}`;
    return drafts.add({
      id: foreignTextOf(call.id),
      tool,
      input: input === undefined ? custom.input : input,
      part,
    });
  });
  if (legacy !== undefined) {
    const part = `${at}/function_call`;
    found.push(
      drafts.add({ id: undefined, tool: foreignTextOf(legacy.name), input: legacy.arguments, part }),
    );
  }
  const last = found.at(-1);
  if (cut && last !== undefined) endDraft(last, true);
};

const truncationReasons: ReadonlySet<unknown> = new Set([
  "length",
  "max_tokens",
  "model_length",
  "content_filter",
  "insufficient_system_resource",
  "error",
]);

const isChatTruncation = (reason: unknown): boolean => truncationReasons.has(reason);

/** Some vendors spread one answer over choices without an index. */
export const choicesOf = (body: ForeignFields): readonly ForeignFields[] =>
  indexedChoicesOf(body).map(([choice]) => choice);

const indexedChoicesOf = (body: ForeignFields): readonly (readonly [ForeignFields, number])[] =>
  foreignListOf(body.choices)
    .map((choice, place) => [foreignFieldsOf(choice), place] as const)
    .filter(([{ index }]) => typeof index !== "number" || index === 0);

export const readOpenAIChat = (drafts: CallDrafts, body: ForeignFields): void => {
  for (const [choice, place] of indexedChoicesOf(body)) {
    const at = `/choices/${place}/message`;
    readChatMessage(drafts, foreignFieldsOf(choice.message), at, isChatTruncation(choice.finish_reason));
  }
};

interface CallDelta {
  readonly place: number | undefined;
  readonly id: string | undefined;
  readonly tool: string | undefined;
  readonly piece: unknown;
}

const toDelta = (call: ForeignFields): CallDelta => {
  const custom = foreignFieldsOf(call.custom);
  const { name, arguments: piece } = foreignFieldsOf(call.function);
  return {
    place: toIndex(call.index),
    id: foreignTextOf(call.id),
    tool: foreignTextOf(name) ?? foreignTextOf(custom.name),
    piece: piece ?? custom.input,
  };
};

/**
 * Vendors omit, repeat or change indexes, ids and names: only a new id with a name reliably starts a call.
 */
export const openAIChatEvents = (drafts: CallDrafts): EventReader => {
  const order = messageOrder();
  const placed = new Map<number, CallDraft>();
  const known = new Map<string, CallDraft>();
  const unfinished = new Set<CallDraft>();
  let last: CallDraft | undefined;
  let legacy: CallDraft | undefined;
  let over = false;
  /** Some vendors always send index 0. */
  const taken = new Set<number>();

  const freePlace = (from: number): number => {
    let place = from;
    while (taken.has(place)) place++;
    taken.add(place);
    return place;
  };

  const begin = ({ place, id }: CallDelta, at: string): CallDraft => {
    if (over) {
      order.nextMessage();
      placed.clear();
      taken.clear();
      over = false;
    }
    const draft = drafts.begin(order.at(place));
    draft.id = id;
    draft.part = `${at}/tool_calls/${freePlace(placeIn(draft.order))}`;
    if (place !== undefined) placed.set(place, draft);
    if (id !== undefined) known.set(id, draft);
    return draft;
  };

  const isAnother = (draft: CallDraft, { place, tool }: CallDelta, seen: ReadonlySet<CallDraft>): boolean =>
    tool !== undefined && (seen.has(draft) || (place === undefined && tool !== draft.tool));

  const find = (delta: CallDelta, seen: ReadonlySet<CallDraft>): CallDraft | undefined => {
    const { place, id, tool } = delta;
    const here = place === undefined ? undefined : placed.get(place);
    const near = place === undefined ? last : here;
    if (id === undefined) {
      return near !== undefined && isAnother(near, delta, seen) ? undefined : near;
    }
    if (here?.id === id) return here;
    const same = known.get(id);
    if (same !== undefined && (place === undefined || here !== undefined || tool === undefined)) return same;
    if (tool === undefined) return here;
    return near?.id === undefined && near?.tool === "" ? near : undefined;
  };

  const readCall = (delta: CallDelta, seen: Set<CallDraft>, at: string): void => {
    const draft = find(delta, seen) ?? begin(delta, at);
    seen.add(draft);
    if (draft.id === undefined && delta.id !== undefined) {
      draft.id = delta.id;
      known.set(delta.id, draft);
    }
    drafts.name(draft, delta.tool);
    addPiece(draft, delta.piece);
    if (draft.state === "open") unfinished.add(draft);
    last = draft;
  };

  const readLegacy = (call: ForeignFields, at: string): void => {
    legacy ??= drafts.begin(order.at(undefined));
    legacy.part = `${at}/function_call`;
    drafts.name(legacy, foreignTextOf(call.name));
    addPiece(legacy, call.arguments);
    unfinished.add(legacy);
  };

  const finish = (cut: boolean): void => {
    for (const draft of unfinished) endDraft(draft, cut);
    unfinished.clear();
    over = true;
  };

  const readDelta = (delta: ForeignFields, at: string): void => {
    const seen = new Set<CallDraft>();
    for (const call of foreignListOf(delta.tool_calls)) readCall(toDelta(foreignFieldsOf(call)), seen, at);
    if (isObject(delta.function_call)) readLegacy(delta.function_call, at);
  };

  /** Some vendors repeat the whole message at the end. */
  const readMessage = (message: ForeignFields, at: string, cut: boolean): void => {
    if (over || last !== undefined || legacy !== undefined) return;
    readChatMessage(drafts, message, at, cut);
  };

  return {
    read: (event) => {
      for (const [{ delta, message, finish_reason: reason }, place] of indexedChoicesOf(event)) {
        const at = `/choices/${place}/message`;
        if (isObject(delta)) readDelta(delta, at);
        if (foreignTextOf(reason) === undefined) continue;
        if (isObject(message)) readMessage(message, at, isChatTruncation(reason));
        finish(isChatTruncation(reason));
      }
    },
    // The reason is unknown, so the reply counts as truncated.
    done: () => finish(true),
  };
};
