import { preserveLargeIntegers } from "../../../base/json/raw-slices.ts";
import type { RawCall } from "../../../types/call.ts";

export interface CompleteCall {
  readonly id: string | undefined;
  readonly tool: string | undefined;
  readonly input: unknown;
  readonly part: string;
  readonly providerExecuted?: boolean;
  readonly isSentWhole?: boolean;
}

export interface BuiltValue {
  readonly value: unknown;
  readonly isConsistent: boolean;
}

export interface CallDraft {
  id: string | undefined;
  /** Empty until known; a draft without a name is not a call. */
  tool: string;
  /** Among the named calls, in starting order. */
  ordinal: number;
  /** Among all calls. */
  readonly order: number;
  /** Pointer into the complete reply. */
  part: string | undefined;
  providerExecuted: boolean;
  /** Arguments are sent as one value, so a truncation cannot be detected. */
  isSentWhole: boolean;
  /** Joined once at the end. */
  readonly pieces: string[];
  /** Arguments sent as one value; never merged. */
  whole: { readonly value: unknown } | undefined;
  /** Used if no text follows. */
  initial: unknown;
  build: (() => BuiltValue) | undefined;
  /** `doubtful`: the reply was truncated right after the call. `broken`: its parts contradict each other. */
  state: "open" | "ended" | "doubtful" | "broken";
}

/** Strings are argument text; other values are the arguments themselves. */
export const addPiece = (draft: CallDraft, piece: unknown): void => {
  if (piece === undefined || piece === null || piece === "") return;
  if (draft.state !== "broken") draft.state = "open";
  if (draft.whole !== undefined) draft.state = "broken";
  else if (typeof piece === "string") draft.pieces.push(piece);
  else if (draft.pieces.length > 0) draft.state = "broken";
  else draft.whole = { value: piece };
};

/** Final arguments replace all deltas. */
export const replaceArguments = (draft: CallDraft, value: unknown): void => {
  if (value === undefined || value === null || value === "") return;
  draft.whole = { value };
  if (draft.state === "broken") draft.state = "open";
};

export const endDraft = (draft: CallDraft, cut = false): void => {
  if (draft.state !== "broken") draft.state = cut ? "doubtful" : "ended";
};

/** A number could be the start of a longer one. */
const isWholeJson = (text: string): boolean => {
  if (!/[}\]"]\s*$/.test(text.slice(-64))) return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
};

const isEmptyObject = (value: unknown): boolean =>
  typeof value === "object" && value !== null && Object.keys(value).length === 0;

const readInput = (draft: CallDraft): BuiltValue => {
  if (draft.build !== undefined) return draft.build();
  if (draft.whole !== undefined) return { value: draft.whole.value, isConsistent: true };
  const text = draft.pieces.join("");
  if (text !== "" || draft.initial === undefined) return { value: text, isConsistent: true };
  return { value: draft.initial, isConsistent: true };
};

/** Complete only if the vendor said so and nothing contradicts it. */
const toRawCall = (draft: CallDraft, index: number): RawCall => {
  const { value, isConsistent } = readInput(draft);
  const complete =
    isConsistent &&
    (draft.state === "ended" ||
      (draft.state === "doubtful" && !draft.isSentWhole && typeof value === "string" && isWholeJson(value)));
  return Object.freeze({
    id: draft.id ?? `call-${draft.ordinal}`,
    tool: draft.tool,
    // A block truncated before its text has no arguments yet.
    input:
      !complete && draft.build === undefined && value === draft.initial && isEmptyObject(value)
        ? ""
        : preserveLargeIntegers(value),
    index,
    ...(draft.part === undefined ? {} : { part: draft.part }),
    ...(draft.providerExecuted ? { providerExecuted: true } : {}),
    finish: complete ? "complete" : "incomplete",
  });
};

export interface CallDrafts {
  /** Without `order`, the call follows all earlier ones. */
  readonly begin: (order?: number) => CallDraft;
  /** Names may arrive in parts or repeatedly. */
  readonly name: (draft: CallDraft, part: string | undefined) => void;
  readonly add: (whole: CompleteCall) => CallDraft | undefined;
  /** Calls named since the last invocation. */
  readonly takeStarted: () => readonly RawCall[];
  readonly calls: () => readonly RawCall[];
}

const noCalls: readonly RawCall[] = Object.freeze([]);

export const callDrafts = (): CallDrafts => {
  const all: CallDraft[] = [];
  let fresh: CallDraft[] = [];
  let named = 0;

  const begin = (order = all.length): CallDraft => {
    const draft: CallDraft = {
      id: undefined,
      tool: "",
      ordinal: -1,
      order,
      part: undefined,
      providerExecuted: false,
      isSentWhole: false,
      pieces: [],
      whole: undefined,
      initial: undefined,
      build: undefined,
      state: "open",
    };
    all.push(draft);
    return draft;
  };

  const name = (draft: CallDraft, part: string | undefined): void => {
    if (part === undefined || part === draft.tool) return;
    if (draft.tool === "") {
      draft.ordinal = named++;
      fresh.push(draft);
    }
    draft.tool += part;
  };

  return {
    begin,
    name,
    add: ({ id, tool, input, part, providerExecuted = false, isSentWhole = false }) => {
      if (tool === undefined) return undefined;
      const draft = begin();
      draft.id = id;
      draft.part = part;
      draft.providerExecuted = providerExecuted;
      draft.isSentWhole = isSentWhole;
      name(draft, tool);
      if (input === null) draft.whole = { value: null };
      else addPiece(draft, input);
      endDraft(draft);
      return draft;
    },
    takeStarted: () => {
      if (fresh.length === 0) return noCalls;
      const newCalls = fresh.map((draft) =>
        Object.freeze({
          id: draft.id ?? `call-${draft.ordinal}`,
          tool: draft.tool,
          input: "",
          index: draft.ordinal,
          ...(draft.providerExecuted ? { providerExecuted: true } : {}),
          finish: "incomplete" as const,
        }),
      );
      fresh = [];
      return Object.freeze(newCalls);
    },
    calls: () => {
      const found = all.filter((draft) => draft.tool !== "");
      found.sort((left, right) => left.order - right.order);
      return Object.freeze(found.map(toRawCall));
    },
  };
};

const maxPlaces = 2 ** 32;

interface MessageOrder {
  readonly nextMessage: () => void;
  readonly at: (place: number | undefined) => number;
}

export const placeIn = (order: number): number => order % maxPlaces;

/** Chunks may arrive in any order. */
export const messageOrder = (): MessageOrder => {
  let message = 0;
  let next = 0;
  return {
    nextMessage: () => {
      message += 1;
      next = 0;
    },
    at: (place) => {
      const within = Math.min(place ?? next, maxPlaces - 1);
      next = Math.max(next, within + 1);
      return message * maxPlaces + within;
    },
  };
};

interface BlockStart {
  readonly place: number | undefined;
  readonly id: string | undefined;
  readonly tool: string | undefined;
  readonly providerExecuted?: boolean;
  readonly initial?: unknown;
  readonly list?: string;
}

/** Block indexes restart with every message. */
interface BlockTracker {
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
