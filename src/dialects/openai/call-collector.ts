import { isObject } from "../../json/is-object.ts";
import { addPiece, type CallDraft, endDraft } from "../calls/draft.ts";
import type { Drafts } from "../calls/drafts.ts";
import { type Fields, fieldsOf, listOf, placeOf, textOf } from "../calls/fields.ts";
import { messageOrder } from "../calls/message-order.ts";
import type { EventReader } from "../calls/wire-reader.ts";
import { choicesOf, isCut } from "./chat-finish.ts";
import { readChatMessage } from "./read-calls.ts";

interface Delta {
  readonly place: number | undefined;
  readonly id: string | undefined;
  readonly tool: string | undefined;
  readonly piece: unknown;
}

const toDelta = (call: Fields): Delta => {
  const custom = fieldsOf(call.custom);
  const { name, arguments: piece } = fieldsOf(call.function);
  return {
    place: placeOf(call.index),
    id: textOf(call.id),
    tool: textOf(name) ?? textOf(custom.name),
    piece: piece ?? custom.input,
  };
};

/**
 * The chunks of a chat completion. Places may be missing or all zero, ids may be missing, repeated, or new in
 * every chunk, names may be repeated: a new id together with a name begins a call, and little else does.
 */
export const openAIChatEvents = (drafts: Drafts): EventReader => {
  const order = messageOrder();
  const placed = new Map<number, CallDraft>();
  const known = new Map<string, CallDraft>();
  const unfinished = new Set<CallDraft>();
  let last: CallDraft | undefined;
  let legacy: CallDraft | undefined;
  let over = false;

  const begin = ({ place, id }: Delta): CallDraft => {
    if (over) {
      order.nextMessage();
      placed.clear();
      over = false;
    }
    const draft = drafts.begin(order.at(place));
    draft.id = id;
    if (place !== undefined) placed.set(place, draft);
    if (id !== undefined) known.set(id, draft);
    return draft;
  };

  /** Without an id, a name begins a call beside another of its chunk, or after one of another name. */
  const isAnother = (draft: CallDraft, { place, tool }: Delta, taken: ReadonlySet<CallDraft>): boolean =>
    tool !== undefined && (taken.has(draft) || (place === undefined && tool !== draft.tool));

  const find = (delta: Delta, taken: ReadonlySet<CallDraft>): CallDraft | undefined => {
    const { place, id, tool } = delta;
    const here = place === undefined ? undefined : placed.get(place);
    const near = place === undefined ? last : here;
    if (id === undefined) {
      return near !== undefined && isAnother(near, delta, taken) ? undefined : near;
    }
    if (here?.id === id) return here;
    const same = known.get(id);
    if (same !== undefined && (place === undefined || here !== undefined || tool === undefined)) return same;
    if (tool === undefined) return here;
    return near?.id === undefined && near?.tool === "" ? near : undefined;
  };

  const readCall = (delta: Delta, taken: Set<CallDraft>): void => {
    const draft = find(delta, taken) ?? begin(delta);
    taken.add(draft);
    if (draft.id === undefined && delta.id !== undefined) {
      draft.id = delta.id;
      known.set(delta.id, draft);
    }
    drafts.name(draft, delta.tool);
    addPiece(draft, delta.piece);
    if (draft.state === "open") unfinished.add(draft);
    last = draft;
  };

  const readLegacy = (call: Fields): void => {
    legacy ??= drafts.begin(order.at(undefined));
    drafts.name(legacy, textOf(call.name));
    addPiece(legacy, call.arguments);
    unfinished.add(legacy);
  };

  const finish = (cut: boolean): void => {
    for (const draft of unfinished) endDraft(draft, cut);
    unfinished.clear();
    over = true;
  };

  const readDelta = (delta: Fields): void => {
    const taken = new Set<CallDraft>();
    for (const call of listOf(delta.tool_calls)) readCall(toDelta(fieldsOf(call)), taken);
    if (isObject(delta.function_call)) readLegacy(delta.function_call);
  };

  /** Some repeat the whole message at the end: it says something new only if there were no chunks of calls. */
  const readMessage = (message: Fields, cut: boolean): void => {
    if (over || last !== undefined || legacy !== undefined) return;
    readChatMessage(drafts, message, cut);
  };

  return {
    read: (event) => {
      for (const { delta, message, finish_reason: reason } of choicesOf(event)) {
        if (isObject(delta)) readDelta(delta);
        if (textOf(reason) === undefined) continue;
        if (isObject(message)) readMessage(message, isCut(reason));
        finish(isCut(reason));
      }
    },
    // The stream says that it is over, though not why.
    done: () => finish(true),
  };
};
