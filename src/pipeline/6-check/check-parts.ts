import { readPart } from "../../base/json/read-part.ts";
import { base64ByteLength, type ContentPart, describeMedia, formatBytes } from "../../types/message.ts";

export interface MediaLimits {
  readonly maxResultBytes: number;
  readonly maxMediaParts: number;
  readonly maxMediaBytes: number;
}

export type PartsCheckResult =
  | { readonly ok: true; readonly parts: readonly ContentPart[]; readonly left: readonly string[] }
  | { readonly ok: false; readonly why: string };

export type PartsChecker = (given: readonly unknown[], limits: MediaLimits) => PartsCheckResult;

/**
 * An invalid part breaks the tool's promise. A part beyond the limits is replaced by a text, because the call
 * has taken effect.
 */
export const checkParts: PartsChecker = (given, limits) => {
  if (!Array.isArray(given)) return { ok: false, why: "its parts are not a list" };
  const { maxMediaParts, maxMediaBytes, maxResultBytes } = limits;
  const parts: ContentPart[] = [];
  const omitted: string[] = [];
  let bytes = 0;
  let textBytes = 0;
  // Parts keep their index, because the value may refer to it.
  for (let index = 0; index < given.length && index < maxMediaParts; index++) {
    const reading = readPart(given[index]);
    if (!reading.ok) return { ok: false, why: `its part ${index} ${reading.why}` };
    const { part } = reading;
    const size = partSize(part);
    if (part.kind === "text") textBytes += size;
    const isTooLong = part.kind === "text" && textBytes > maxResultBytes;
    const isKept = bytes + size <= maxMediaBytes && !isTooLong;
    if (isKept) bytes += size;
    else
      omitted.push(
        `${describePart(part, size)}, because ${isTooLong ? textTooLongText(maxResultBytes) : mediaTooLargeText(maxMediaBytes)}`,
      );
    parts.push(isKept ? part : toOmissionPart(omitted.at(-1)!));
  }
  const omittedCount = given.length - maxMediaParts;
  if (omittedCount > 0) {
    omitted.push(
      `${omittedCount} more parts, because a result can have at most ${maxMediaParts} (limits.maxMediaParts)`,
    );
    parts.push(toOmissionPart(omitted.at(-1)!));
  }
  return {
    ok: true,
    parts: Object.freeze(parts),
    left: omitted.slice(0, maxOmissionNotes).map(toOmissionNote),
  };
};

const maxOmissionNotes = 5;

const partSize = (part: ContentPart): number => {
  if (part.kind === "text") return Buffer.byteLength(part.text);
  return part.data === undefined ? part.url.length : base64ByteLength(part.data);
};

const describePart = (part: ContentPart, size: number): string =>
  part.kind === "text" ? `text (${formatBytes(size)})` : describeMedia(part);

const mediaTooLargeText = (maxMediaBytes: number): string =>
  `the parts of a result can have at most ${formatBytes(maxMediaBytes)} in total (limits.maxMediaBytes)`;

const textTooLongText = (maxResultBytes: number): string =>
  `the texts of a result can have at most ${formatBytes(maxResultBytes)} in total (limits.maxResultBytes)`;

const toOmissionPart = (what: string): ContentPart =>
  Object.freeze({ kind: "text", text: `[Left out: ${what}.]` });

const toOmissionNote = (what: string): string => `left out: ${what}`;
