import { readPart } from "../../json/read-part.ts";
import { bytesIn, type ContentPart, describeMedia, sizeText } from "../../words/content.ts";

/** How much media one result may carry. */
export interface MediaLimits {
  /** Of its texts, as of its value. */
  readonly maxResultBytes: number;
  readonly maxMediaParts: number;
  readonly maxMediaBytes: number;
}

/** Parts that keep to their type and are few and small enough; or why the result is withheld. */
export type CheckedParts =
  | { readonly ok: true; readonly parts: readonly ContentPart[]; readonly left: readonly string[] }
  | { readonly ok: false; readonly why: string };

export type CheckParts = (given: readonly unknown[], limits: MediaLimits) => CheckedParts;

/**
 * Copies what a tool or a layer gave besides its value. A part that is none breaks the tool's promise. One that is too
 * much is left out with a sentence in its place: what the tool did is done, and the rest of its answer counts.
 */
export const checkParts: CheckParts = (given, limits) => {
  if (!Array.isArray(given)) return { ok: false, why: "its parts are no list" };
  const { maxMediaParts, maxMediaBytes, maxResultBytes } = limits;
  const parts: ContentPart[] = [];
  const left: string[] = [];
  let bytes = 0;
  let words = 0;
  // Each keeps its place, because a value may speak of its parts by their number.
  for (let index = 0; index < given.length && index < maxMediaParts; index++) {
    const reading = readPart(given[index]);
    if (!reading.ok) return { ok: false, why: `its part ${index} ${reading.why}` };
    const { part } = reading;
    const size = sizeOf(part);
    if (part.kind === "text") words += size;
    const isTooLong = part.kind === "text" && words > maxResultBytes;
    const isKept = bytes + size <= maxMediaBytes && !isTooLong;
    if (isKept) bytes += size;
    else
      left.push(
        `${wordsFor(part, size)}, because ${isTooLong ? tooLong(maxResultBytes) : tooLarge(maxMediaBytes)}`,
      );
    parts.push(isKept ? part : toSentence(left.at(-1)!));
  }
  const more = given.length - maxMediaParts;
  if (more > 0) {
    left.push(`${more} more parts, because a result carries ${maxMediaParts} at most (limits.maxMediaParts)`);
    parts.push(toSentence(left.at(-1)!));
  }
  return { ok: true, parts: Object.freeze(parts), left: left.slice(0, mostNotes).map(toNote) };
};

const mostNotes = 5;

const sizeOf = (part: ContentPart): number => {
  if (part.kind === "text") return Buffer.byteLength(part.text);
  return part.data === undefined ? part.url.length : bytesIn(part.data);
};

const wordsFor = (part: ContentPart, size: number): string =>
  part.kind === "text" ? `text (${sizeText(size)})` : describeMedia(part);

const tooLarge = (maxMediaBytes: number): string =>
  `the parts of a result have ${sizeText(maxMediaBytes)} together at most (limits.maxMediaBytes)`;

const tooLong = (maxResultBytes: number): string =>
  `the texts of a result have ${sizeText(maxResultBytes)} together at most (limits.maxResultBytes)`;

const toSentence = (what: string): ContentPart =>
  Object.freeze({ kind: "text", text: `[Left out: ${what}.]` });

const toNote = (what: string): string => `left out: ${what}`;
