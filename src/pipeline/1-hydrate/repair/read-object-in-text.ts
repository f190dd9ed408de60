import { readJson } from "../../../base/json/read-json.ts";
import type { PlainNode } from "../../../base/schema/plain/plain-schema.ts";
import { type LooseMode, LooseReader } from "./loose/loose-reader.ts";
import { jsonSpaceEnd } from "./loose/loose-space.ts";
import { ProseScanner } from "./prose-scanner.ts";
import { type RepairContext, refuseRepair } from "./repair-context.ts";
import { sameJson } from "./same-json.ts";

export const maxEncodings = 3;

/** Throws a `RepairRefusal` if the object is ambiguous. */
export const readObjectInText = (text: string, repairing: RepairContext, encodings = 0): unknown => {
  const { changes, places, steps } = repairing;
  if (encodings > maxEncodings) refuseRepair("it is encoded too often");
  const prose = new ProseScanner(repairing);
  const start = prose.objectStart(text);
  if (start === text.length) refuseRepair("it contains no JSON object");
  const before = text.slice(0, start).trim();
  if (/^[:,]/.test(before)) refuseRepair("its beginning is missing");
  const quote = text[start - 1] === '"' || text[start - 1] === "'" ? text[start - 1] : undefined;
  const isEscaped = hasEscapedQuotes(text, start);
  if (jsonSpaceEnd(text, 0) < start) changes.add("text", [], text.slice(0, start), "");
  if (quote === '"' && isEscaped) return readEncoded(text, start - 1, prose, repairing, encodings);
  if (quote !== undefined && text.includes("\\\\")) refuseRepair("it is not certain how often it is escaped");
  const body = isEscaped ? unescapeQuotes(text, start, repairing) : text;
  const mode = { allowsBareText: true, isDecoded: encodings > 0 };
  const reader = new LooseReader(body, isEscaped ? 0 : start, repairing, mode);
  const value = reader.read(places.root);
  if (isEscaped && !reader.hasOnlyDoubleQuotes) refuseRepair("it is not certain how often it is escaped");
  if (quote !== undefined && body[reader.end] !== quote) refuseRepair("it ends before it is complete");
  const end = reader.end + (quote === undefined ? 0 : 1);
  const closed = closingBracketsEnd(body, end);
  steps.take(jsonSpaceEnd(body, closed) - end + 1);
  if (closed > end) {
    if (!/^`*\w{0,10}$/.test(before)) refuseRepair("a bracket is closed outside of the object");
    refuseEarlyClosing(value, places.root, repairing);
    changes.add("text", [], body.slice(end, closed), "");
  }
  return readRemainder({ prose, mode, repairing }, body, closed, value);
};

const readEncoded = (
  text: string,
  at: number,
  prose: ProseScanner,
  repairing: RepairContext,
  encodings: number,
): unknown => {
  let end = at + 1;
  while (end < text.length && text[end] !== '"') end += text[end] === "\\" ? 2 : 1;
  repairing.steps.take(2 * (end - at));
  if (end >= text.length) refuseRepair("a string is never closed");
  refuseAdjacentText(text, end + 1);
  if (prose.objectBehind(text, end + 1) < text.length) refuseRepair("it contains two objects");
  const breaks: Readonly<Record<string, string>> = { "\n": "\\n", "\r": "\\r", "\t": "\\t" };
  const encoded = text.slice(at, end + 1).replace(/[\n\r\t]/g, (found) => breaks[found]!);
  const reading = readJson(encoded, repairing.limits);
  if (!reading.ok) refuseRepair("it is not certain how often it is escaped");
  return readObjectInText((reading as { value: string }).value, repairing, encodings + 1);
};

const closingBracketsEnd = (text: string, start: number): number => {
  let end = start;
  for (let at = jsonSpaceEnd(text, start); text[at] === "}" || text[at] === "]"; ) {
    end = at + 1;
    at = jsonSpaceEnd(text, end);
  }
  return end;
};

/**
 * The rest may be prose or repetitions of the object. Some servers send an empty object before the actual
 * one.
 */
const readRemainder = (
  { prose, mode, repairing }: { prose: ProseScanner; mode: LooseMode; repairing: RepairContext },
  text: string,
  start: number,
  value: unknown,
): unknown => {
  const { places, steps, changes } = repairing;
  let end = start;
  let found = value;
  let objects = 1;
  for (;;) {
    steps.take(jsonSpaceEnd(text, end) - end + 1);
    refuseContinuation(text, end);
    const next = prose.objectBehind(text, end);
    if (next === text.length) break;
    const isFollowing = jsonSpaceEnd(text, end) === next;
    const reader = new LooseReader(text, next, repairing, mode);
    const again = reader.read(places.root);
    objects++;
    if (!sameJson(found, again, steps)) {
      const isFirst = objects === 2 && isFollowing && sameJson(value, {}, steps) && !repairing.takesNothing();
      if (!isFirst) refuseRepair("it contains two different objects");
      found = again;
    } else if (found !== value) refuseRepair("it contains more than one object after an empty one");
    end = reader.end;
  }
  if (jsonSpaceEnd(text, start) < text.length) changes.add("text", [], text.slice(start), "");
  return found;
};

const refuseContinuation = (text: string, start: number): void => {
  refuseAdjacentText(text, start);
  const at = jsonSpaceEnd(text, start);
  const isCopy = text[at] === "," && text[jsonSpaceEnd(text, at + 1)] === "{";
  if (text[at] === ":" || (text[at] === "," && !isCopy)) refuseRepair("text follows the object");
};

/** Adjacent text means that the object was closed inside a string. */
const refuseAdjacentText = (text: string, at: number): void => {
  if (/^(?:\\[nrt])*(?:[\p{L}\p{N}_$"'“”‘’]|\\(?![nrt]))/u.test(text.slice(at, at + 100))) {
    refuseRepair("text follows the object");
  }
};

const noNames: ReadonlySet<string> = new Set();

/**
 * A surplus closing bracket may belong to a value that was closed too early, so members after a nested value
 * must be declared by the outer object only.
 */
const refuseEarlyClosing = (
  value: unknown,
  node: PlainNode,
  repairing: RepairContext,
): ReadonlySet<string> => {
  const { places, steps } = repairing;
  steps.take(1);
  if (typeof value !== "object" || value === null) return noNames;
  const isList = Array.isArray(value);
  const names = isList ? noNames : places.names(node);
  const inside = new Set<string>();
  let isBehind = false;
  for (const [key, member] of Object.entries(value)) {
    // Integer keys come first in JavaScript objects, so their position is unknown.
    if (!isList && /^\d+$/.test(key)) refuseRepair("a bracket is closed too often");
    if (!isList && isBehind && (!names.has(key) || inside.has(key)))
      refuseRepair("a bracket is closed too early");
    if (typeof member !== "object" || member === null) continue;
    isBehind = true;
    const place = isList ? places.item(node, Number(key)) : places.member(node, key);
    const known = refuseEarlyClosing(member, place, repairing);
    steps.take(known.size);
    for (const name of known) inside.add(name);
  }
  steps.take(names.size);
  return new Set([...names, ...inside]);
};

const hasEscapedQuotes = (text: string, start: number): boolean => {
  escapedKey.lastIndex = start;
  return escapedKey.test(text);
};

const escapedKey = /\{(?:\s|\\[nrt])*\\"/y;

/**
 * Unescapes an object inside another JSON text. Refuses ambiguous escapes: `\\t` could be a tab or part of a
 * path.
 */
const unescapeQuotes = (text: string, start: number, { steps, changes }: RepairContext): string => {
  let plain = "";
  let from = start;
  steps.take(text.length - start);
  for (let at = start; at < text.length; at++) {
    const here = text[at];
    if (here === '"') refuseRepair("only some of its quotes are escaped");
    if (here !== "\\") continue;
    const next = text[at + 1] ?? "";
    if (text.startsWith('\\\\\\"', at)) {
      plain += `${text.slice(from, at)}\\"`;
      at += 3;
    } else if (next === '"') {
      plain += `${text.slice(from, at)}"`;
      at += 1;
    } else if (next !== "" && "nrtu/".includes(next) && !/^u00(?:22|5c)/i.test(text.slice(at + 1, at + 6))) {
      at += 1;
      continue;
    } else {
      refuseRepair("it is not certain how often it is escaped");
    }
    from = at + 1;
  }
  plain += text.slice(from);
  changes.add("text", [], text.slice(start), plain);
  return plain;
};
