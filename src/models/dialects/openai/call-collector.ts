import { isObject } from "../../../base/json/is-object.ts";
import { addPiece, type CallDraft, endDraft } from "../calls/call-draft.ts";
import type { CallDrafts } from "../calls/call-drafts.ts";
import { messageOrder, placeIn } from "../calls/message-order.ts";
import {
  type ForeignFields,
  foreignFieldsOf,
  foreignListOf,
  foreignTextOf,
  toIndex,
} from "../calls/read-untyped-fields.ts";
import type { EventReader } from "../calls/wire-reader.ts";
import { indexedChoicesOf, isChatTruncation } from "./chat-finish.ts";
import { readChatMessage } from "./read-calls.ts";

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
