import { addPiece, type CallDraft, endDraft } from "./call-draft.ts";
import type { CallDrafts } from "./call-drafts.ts";
import { messageOrder, placeIn } from "./message-order.ts";

export interface BlockStart {
  readonly place: number | undefined;
  readonly id: string | undefined;
  readonly tool: string | undefined;
  readonly providerExecuted?: boolean;
  readonly initial?: unknown;
  readonly list?: string;
}

/** Block indexes restart with every message. */
export interface BlockTracker {
  readonly restart: () => void;
  readonly begin: (start: BlockStart) => CallDraft;
  /** The block at this place is not a call. */
  readonly pass: (place: number | undefined) => void;
  /** Without a place, returns the latest call. */
  readonly at: (place: number | undefined) => CallDraft | undefined;
  readonly piece: (place: number | undefined, piece: unknown) => void;
  readonly end: (place: number | undefined) => void;
  /** With `cut`, the last call may be incomplete. */
  readonly finish: (cut: boolean) => void;
}

/** `list` is the pointer to the blocks of a complete reply. */
export const blockTracker = (drafts: CallDrafts, list: string): BlockTracker => {
  const order = messageOrder();
  const placed = new Map<number, CallDraft>();
  const unfinished = new Set<CallDraft>();
  let last: CallDraft | undefined;

  const at = (place: number | undefined): CallDraft | undefined =>
    place === undefined ? last : placed.get(place);

  return {
    at,
    restart: () => {
      order.nextMessage();
      placed.clear();
      unfinished.clear();
      last = undefined;
    },
    begin: ({ place, id, tool, providerExecuted = false, initial, list: own = list }) => {
      const draft = drafts.begin(order.at(place));
      draft.id = id;
      draft.part = `${own}/${placeIn(draft.order)}`;
      draft.providerExecuted = providerExecuted;
      draft.initial = initial;
      drafts.name(draft, tool);
      if (place !== undefined) placed.set(place, draft);
      unfinished.add(draft);
      last = draft;
      return draft;
    },
    pass: (place) => {
      if (place !== undefined) placed.delete(place);
      last = undefined;
    },
    piece: (place, piece) => {
      const draft = at(place);
      if (draft === undefined) return;
      addPiece(draft, piece);
      unfinished.add(draft);
    },
    end: (place) => {
      const draft = at(place);
      if (draft === undefined) return;
      endDraft(draft);
      unfinished.delete(draft);
    },
    finish: (cut) => {
      for (const draft of unfinished) endDraft(draft, cut);
      unfinished.clear();
      if (cut && last !== undefined) endDraft(last, true);
    },
  };
};
