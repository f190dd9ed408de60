import { preserveLargeIntegers } from "../../../base/json/preserve-large-integers.ts";
import type { RawCall } from "../../../types/call.ts";

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
export const toRawCall = (draft: CallDraft, index: number): RawCall => {
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
