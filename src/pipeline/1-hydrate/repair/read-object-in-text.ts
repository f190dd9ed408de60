import { readJson } from "../../../json/read-json.ts";
import { type LooseMode, LooseReader } from "./loose/loose-reader.ts";
import { plainSpaceEnd } from "./loose/loose-space.ts";
import { Prose } from "./prose/prose.ts";
import { type Repairing, refuse } from "./repairing.ts";
import { sameJson } from "./same-json.ts";
import { refuseEarlyClosing } from "./surplus-closers.ts";
import { hasEscapedQuotes, unescapeQuotes } from "./unescape-quotes.ts";

/** A text in a text in a text: nobody encodes more often than that. */
export const mostEncodings = 3;

/** The one object that a text holds, whatever stands around it. Throws a `Refusal` if there is doubt. */
export const readText = (text: string, repairing: Repairing, encodings = 0): unknown => {
  const { changes, places, steps } = repairing;
  if (encodings > mostEncodings) refuse("it is encoded too often");
  const prose = new Prose(repairing);
  const start = prose.objectStart(text);
  if (start === text.length) refuse("it holds no JSON object");
  const before = text.slice(0, start).trim();
  if (/^[:,]/.test(before)) refuse("its beginning is missing");
  const quote = text[start - 1] === '"' || text[start - 1] === "'" ? text[start - 1] : undefined;
  const isEscaped = hasEscapedQuotes(text, start);
  if (plainSpaceEnd(text, 0) < start) changes.add("text", [], text.slice(0, start), "");
  if (quote === '"' && isEscaped) return readEncoded(text, start - 1, prose, repairing, encodings);
  if (quote !== undefined && text.includes("\\\\")) refuse("it is not certain how often it is escaped");
  const body = isEscaped ? unescapeQuotes(text, start, repairing) : text;
  const mode = { allowsBareText: true, isDecoded: encodings > 0 };
  const reader = new LooseReader(body, isEscaped ? 0 : start, repairing, mode);
  const value = reader.read(places.root);
  if (isEscaped && !reader.hasOnlyDoubleQuotes) refuse("it is not certain how often it is escaped");
  if (quote !== undefined && body[reader.end] !== quote) refuse("it ends before it is complete");
  const end = reader.end + (quote === undefined ? 0 : 1);
  const closed = closersEnd(body, end);
  steps.take(plainSpaceEnd(body, closed) - end + 1);
  if (closed > end) {
    if (!/^`*\w{0,10}$/.test(before)) refuse("a bracket is closed outside of the object");
    refuseEarlyClosing(value, places.root, repairing);
    changes.add("text", [], body.slice(end, closed), "");
  }
  return readRest({ prose, mode, repairing }, body, closed, value);
};

/** The text that stands in quotes at `at`, with its own quotes escaped. */
const readEncoded = (
  text: string,
  at: number,
  prose: Prose,
  repairing: Repairing,
  encodings: number,
): unknown => {
  let end = at + 1;
  while (end < text.length && text[end] !== '"') end += text[end] === "\\" ? 2 : 1;
  repairing.steps.take(2 * (end - at));
  if (end >= text.length) refuse("a string is never closed");
  refuseGlued(text, end + 1);
  if (prose.objectBehind(text, end + 1) < text.length) refuse("it holds two objects");
  const breaks: Readonly<Record<string, string>> = { "\n": "\\n", "\r": "\\r", "\t": "\\t" };
  const encoded = text.slice(at, end + 1).replace(/[\n\r\t]/g, (found) => breaks[found]!);
  const reading = readJson(encoded, repairing.limits);
  if (!reading.ok) refuse("it is not certain how often it is escaped");
  return readText((reading as { value: string }).value, repairing, encodings + 1);
};

/** Behind the brackets that close nothing. They are harmless, unless something before them should have been closed. */
const closersEnd = (text: string, start: number): number => {
  let end = start;
  for (let at = plainSpaceEnd(text, start); text[at] === "}" || text[at] === "]"; ) {
    end = at + 1;
    at = plainSpaceEnd(text, end);
  }
  return end;
};

/**
 * What follows may be words, and the same object once more. An empty object that the tool cannot take is what
 * some servers send before the true one.
 */
const readRest = (
  { prose, mode, repairing }: { prose: Prose; mode: LooseMode; repairing: Repairing },
  text: string,
  start: number,
  value: unknown,
): unknown => {
  const { places, steps, changes } = repairing;
  let end = start;
  let found = value;
  let objects = 1;
  for (;;) {
    steps.take(plainSpaceEnd(text, end) - end + 1);
    refuseGoingOn(text, end);
    const next = prose.objectBehind(text, end);
    if (next === text.length) break;
    const isFollowing = plainSpaceEnd(text, end) === next;
    const reader = new LooseReader(text, next, repairing, mode);
    const again = reader.read(places.root);
    objects++;
    if (!sameJson(found, again, steps)) {
      const isFirst = objects === 2 && isFollowing && sameJson(value, {}, steps) && !repairing.takesNothing();
      if (!isFirst) refuse("it holds two different objects");
      found = again;
    } else if (found !== value) refuse("it holds more than one object behind an empty one");
    end = reader.end;
  }
  if (plainSpaceEnd(text, start) < text.length) changes.add("text", [], text.slice(start), "");
  return found;
};

/** A comma or a colon behind an object says that there is more of it, and so does whatever is glued to it. */
const refuseGoingOn = (text: string, start: number): void => {
  refuseGlued(text, start);
  const at = plainSpaceEnd(text, start);
  const isCopy = text[at] === "," && text[plainSpaceEnd(text, at + 1)] === "{";
  if (text[at] === ":" || (text[at] === "," && !isCopy)) refuse("it goes on behind the object");
};

/** A letter, a digit or a quote right behind an object says that it was closed inside of a text. */
const refuseGlued = (text: string, at: number): void => {
  if (/^(?:\\[nrt])*(?:[\p{L}\p{N}_$"'“”‘’]|\\(?![nrt]))/u.test(text.slice(at, at + 100))) {
    refuse("it goes on behind the object");
  }
};
