import { readPart } from "../../json/read-part.ts";
import { bytesIn, type ContentPart, describeMedia, sizeText } from "../../words/content.ts";

/** How much media one result may carry. */
export interface MediaLimits {
  readonly maxMediaParts: number;
  readonly maxMediaBytes: number;
}

/** Parts that keep to their type and are few and small enough; or why the result is withheld. */
export type CheckedParts =
  | { readonly ok: true; readonly parts: readonly ContentPart[]; readonly left: readonly string[] }
  | { readonly ok: false; readonly why: string };

/**
 * Copies what a tool or a layer gave besides its value. A part that is none breaks the tool's promise. One that is too
 * much is left out with a sentence in its place: what the tool did is done, and the rest of its answer counts.
 */
export const checkParts = (given: readonly unknown[], limits: MediaLimits): CheckedParts => {
  if (!Array.isArray(given)) return { ok: false, why: "its parts are no list" };
  const parts: ContentPart[] = [];
  const left: string[] = [];
  let count = 0;
  let bytes = 0;
  for (let index = 0; index < given.length; index++) {
    const reading = readPart(given[index]);
    if (!reading.ok) return { ok: false, why: `its part ${index} ${reading.why}` };
    const { part } = reading;
    const size = part.kind === "text" ? part.text.length : part.data === undefined ? 0 : bytesIn(part.data);
    const why = tooMuch(limits, count + 1, bytes + size);
    if (why === undefined) {
      count += 1;
      bytes += size;
      parts.push(part);
      continue;
    }
    const what = part.kind === "text" ? `text (${sizeText(size)})` : describeMedia(part);
    left.push(`left out: ${what}, because ${why}`);
    // One sentence for many: a result with thousands of parts must not become thousands of sentences.
    if (left.length === 1) parts.push(leftOut(`${what}, because ${why}`));
    if (left.length === 2) parts[parts.findIndex(isSentence)] = leftOut(`some parts, because ${why}`);
  }
  return { ok: true, parts: Object.freeze(parts), left: Object.freeze(left.slice(0, mostNotes)) };
};

const mostNotes = 5;

const tooMuch = (
  { maxMediaParts, maxMediaBytes }: MediaLimits,
  count: number,
  bytes: number,
): string | undefined => {
  if (count > maxMediaParts) return `a result carries ${maxMediaParts} parts at most (limits.maxMediaParts)`;
  if (bytes <= maxMediaBytes) return undefined;
  return `the parts of a result have ${sizeText(maxMediaBytes)} together at most (limits.maxMediaBytes)`;
};

const sentences = new WeakSet<ContentPart>();

const isSentence = (part: ContentPart): boolean => sentences.has(part);

const leftOut = (what: string): ContentPart => {
  const part: ContentPart = Object.freeze({ kind: "text", text: `[Left out: ${what}.]` });
  sentences.add(part);
  return part;
};
