import { preserveLargeIntegers } from "../../../base/json/preserve-large-integers.ts";
import type { RawCall } from "../../../types/call.ts";

/** A value that is put together from what came so far; unsound if something in it is missing or contradicts. */
export interface BuiltValue {
  readonly value: unknown;
  readonly sound: boolean;
}

/** A call while its reply is still being read. */
export interface CallDraft {
  id: string | undefined;
  /** As the model wrote it; "" until it is known, and then there is no call yet. */
  tool: string;
  /** Which of the named calls it is, in the order they began. */
  ordinal: number;
  /** Where its vendor puts it among the others. */
  readonly order: number;
  /** Where it stands in the reply, or would if a streamed reply were whole. */
  part: string | undefined;
  providerExecuted: boolean;
  /** Its vendor sends arguments in one go, as a value: after a cut-off nobody can say whether that was all of them. */
  isSentWhole: boolean;
  /** Argument text as it came, joined once at the end. */
  readonly pieces: string[];
  /** The arguments in one go. Nothing is merged into them. */
  whole: { readonly value: unknown } | undefined;
  /** What stands if no text ever comes, such as the object a block begins with. */
  initial: unknown;
  build: (() => BuiltValue) | undefined;
  /** `doubtful`: its reply was cut off right after it. `broken`: its parts contradict each other. */
  state: "open" | "ended" | "doubtful" | "broken";
}

/** Adds a delta. Text is text, even where it looks like JSON; anything else is the value itself. */
export const addPiece = (draft: CallDraft, piece: unknown): void => {
  if (piece === undefined || piece === null || piece === "") return;
  if (draft.state !== "broken") draft.state = "open";
  if (draft.whole !== undefined) draft.state = "broken";
  else if (typeof piece === "string") draft.pieces.push(piece);
  else if (draft.pieces.length > 0) draft.state = "broken";
  else draft.whole = { value: piece };
};

/** Takes the arguments as the vendor repeats them at the end: they stand for all that was added before. */
export const replaceArguments = (draft: CallDraft, value: unknown): void => {
  if (value === undefined || value === null || value === "") return;
  draft.whole = { value };
  if (draft.state === "broken") draft.state = "open";
};

/** Its vendor says that nothing more comes. `cut` if the reply broke off here. */
export const endDraft = (draft: CallDraft, cut = false): void => {
  if (draft.state !== "broken") draft.state = cut ? "doubtful" : "ended";
};

/** Only what closes itself is whole: a number may be the beginning of a longer one. */
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
  if (draft.whole !== undefined) return { value: draft.whole.value, sound: true };
  const text = draft.pieces.join("");
  if (text !== "" || draft.initial === undefined) return { value: text, sound: true };
  return { value: draft.initial, sound: true };
};

/** The call as far as it came. It is complete only if its vendor said so and nothing speaks against it. */
export const toRawCall = (draft: CallDraft, index: number): RawCall => {
  const { value, sound } = readInput(draft);
  const complete =
    sound &&
    (draft.state === "ended" ||
      (draft.state === "doubtful" && !draft.isSentWhole && typeof value === "string" && isWholeJson(value)));
  return Object.freeze({
    id: draft.id ?? `call-${draft.ordinal}`,
    tool: draft.tool,
    // A block that was cut off before its text began has no arguments yet, not empty ones.
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
