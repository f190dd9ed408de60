import { LooseReader } from "./loose-reader.ts";
import { plainSpaceEnd } from "./loose-space.ts";
import { readLooseString } from "./loose-string.ts";
import { Prose } from "./prose.ts";
import { type Repairing, refuse } from "./repairing.ts";
import { sameJson } from "./same-json.ts";
import { unescapeQuotes } from "./unescape-quotes.ts";

/** A text in a text in a text: nobody encodes more often than that. */
export const mostEncodings = 3;

/** The one object that a text holds, whatever stands around it. Throws a `Refusal` if there is doubt. */
export const readText = (text: string, repairing: Repairing, encodings = 0): unknown => {
  const { changes, steps } = repairing;
  if (encodings > mostEncodings) refuse("it is encoded too often");
  const prose = new Prose(repairing);
  const start = prose.objectFrom(text, 0);
  if (start === text.length) refuse("it holds no JSON object");
  const before = text.slice(0, start).trim();
  if (/^[:,]/.test(before)) refuse("its beginning is missing");
  const quote = text[start - 1] === '"' || text[start - 1] === "'" ? text[start - 1] : undefined;
  const isEscaped = text[text.indexOf('"', start) - 1] === "\\";
  if (plainSpaceEnd(text, 0) < start) changes.add("text", [], text.slice(0, start), "");
  if (quote === '"' && isEscaped) {
    const encoded = readLooseString(text, start - 1);
    steps.take(encoded.end - start);
    if (prose.objectFrom(text, encoded.end) < text.length) refuse("it holds two objects");
    return readText(encoded.value, repairing, encodings + 1);
  }
  if (quote !== undefined && text.includes("\\\\")) refuse("it is not certain how often it is escaped");
  const body = isEscaped ? unescapeQuotes(text, start, repairing) : text;
  const from = isEscaped ? 0 : start;
  const reader = new LooseReader(body, from, repairing, true);
  const value = reader.read(repairing.places.root);
  if (quote !== undefined && body[reader.end] !== quote) refuse("it ends before it is complete");
  const end = reader.end + (quote === undefined ? 0 : 1);
  readRest(prose, body, closersEnd(body, end, before, repairing), value, repairing);
  return value;
};

/** Brackets that close nothing are harmless right behind an object, unless something before it opened them. */
const closersEnd = (text: string, start: number, before: string, { changes, steps }: Repairing): number => {
  let at = plainSpaceEnd(text, start);
  const first = at;
  while (text[at] === "}" || text[at] === "]") at = plainSpaceEnd(text, at + 1);
  steps.take(at - start + 1);
  if (at === first) return at;
  if (!/^`*\w{0,10}$/.test(before)) refuse("a bracket is closed outside of the object");
  changes.add("text", [], text.slice(start, at), "");
  return at;
};

/** What follows may be words, and the same object once more. */
const readRest = (prose: Prose, text: string, start: number, value: unknown, repairing: Repairing): void => {
  let end = start;
  for (;;) {
    refuseGoingOn(text, end, repairing);
    const next = prose.objectFrom(text, end);
    if (next === text.length) break;
    const reader = new LooseReader(text, next, repairing, true);
    const again = reader.read(repairing.places.root);
    if (!sameJson(value, again, repairing.steps)) refuse("it holds two different objects");
    end = reader.end;
  }
  if (plainSpaceEnd(text, start) < text.length) repairing.changes.add("text", [], text.slice(start), "");
};

/** A comma or a colon behind an object says that there is more of it. */
const refuseGoingOn = (text: string, start: number, { steps }: Repairing): void => {
  const at = plainSpaceEnd(text, start);
  const next = text[at] === "," ? plainSpaceEnd(text, at + 1) : at;
  steps.take(next - start + 1);
  const goesOn = next > at ? next < text.length && !"{`".includes(text[next]!) : text[at] === ":";
  if (goesOn) refuse("it goes on behind the object");
};
