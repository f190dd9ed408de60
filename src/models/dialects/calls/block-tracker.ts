import { addPiece, type CallDraft, endDraft } from "./call-draft.ts";
import type { CallDrafts } from "./call-drafts.ts";
import { messageOrder, placeIn } from "./message-order.ts";

/** How a call begins that is sent as a block with a start, pieces and a stop. */
export interface BlockStart {
  readonly place: number | undefined;
  readonly id: string | undefined;
  readonly tool: string | undefined;
  readonly providerExecuted?: boolean;
  readonly initial?: unknown;
  /** Where the blocks stand, if not where the stream's others do. */
  readonly list?: string;
}

/** Streams whose messages are lists of blocks, each with a place that starts again with every message. */
export interface BlockTracker {
  /** A message begins: places mean other blocks from here on. */
  readonly restart: () => void;
  readonly begin: (start: BlockStart) => CallDraft;
  /** Something else than a call stands at this place. */
  readonly pass: (place: number | undefined) => void;
  /** Without a place it is the call that began last. */
  readonly at: (place: number | undefined) => CallDraft | undefined;
  readonly piece: (place: number | undefined, piece: unknown) => void;
  readonly end: (place: number | undefined) => void;
  /** The message is over. If it was cut off, what came last is in doubt. */
  readonly finish: (cut: boolean) => void;
}

/** `list` leads to the blocks of a whole reply. */
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
