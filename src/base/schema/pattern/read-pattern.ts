import { schemaLimits } from "../plain/plain-schema.ts";
import { anyButLineEnds } from "./char-set.ts";
import {
  type CharClass,
  classOf,
  literalClass,
  PatternCursor,
  PatternError,
  readEscape,
} from "./read-escape.ts";

/** Omits captures and laziness, which do not affect whether a text matches. */
export type PatternNode =
  | { readonly kind: "class"; readonly class: CharClass }
  | { readonly kind: "start" }
  | { readonly kind: "end" }
  | { readonly kind: "boundary"; readonly negated: boolean }
  | { readonly kind: "sequence"; readonly parts: readonly PatternNode[] }
  | { readonly kind: "choice"; readonly branches: readonly PatternNode[] }
  | { readonly kind: "repeat"; readonly body: PatternNode; readonly min: number; readonly max: number };

const maxPatternDepth = 50;

/**
 * ECMA-262 with the `u` flag; also accepts what only that flag forbids, such as `\:`. Throws a
 * `PatternError`.
 */
export const readPattern = (source: string): PatternNode => {
  if (source.length > schemaLimits.patternLength) {
    throw new PatternError(`is longer than ${schemaLimits.patternLength} characters`);
  }
  const cursor = new PatternCursor(source);
  const node = readChoice(cursor, 0);
  if (cursor.peek() !== undefined) throw new PatternError('has a ")" that closes nothing');
  return node;
};

const readChoice = (cursor: PatternCursor, depth: number): PatternNode => {
  if (depth > maxPatternDepth)
    throw new PatternError(`has more than ${maxPatternDepth} groups inside each other`);
  const branches = [readSequence(cursor, depth)];
  while (cursor.skip("|")) branches.push(readSequence(cursor, depth));
  return branches.length === 1 ? branches[0]! : { kind: "choice", branches };
};

const readSequence = (cursor: PatternCursor, depth: number): PatternNode => {
  const parts: PatternNode[] = [];
  for (let next = cursor.peek(); next !== undefined && next !== "|" && next !== ")"; next = cursor.peek()) {
    parts.push(readRepeat(cursor, readAtom(cursor, depth)));
  }
  return parts.length === 1 ? parts[0]! : { kind: "sequence", parts };
};

const readAtom = (cursor: PatternCursor, depth: number): PatternNode => {
  const next = cursor.take();
  switch (next) {
    case "^":
      return { kind: "start" };
    case "$":
      return { kind: "end" };
    case ".":
      return { kind: "class", class: classOf(anyButLineEnds) };
    case "[":
      return { kind: "class", class: readClass(cursor) };
    case "(":
      return readGroup(cursor, depth);
    case "*":
    case "+":
    case "?":
      throw new PatternError(`repeats nothing with "${next}"`);
    case "{":
      if (/[\d,]/.test(cursor.peek() ?? "")) throw new PatternError('repeats nothing with "{"');
      return literal(next);
    case "\\":
      if (cursor.skip("b")) return { kind: "boundary", negated: false };
      if (cursor.skip("B")) return { kind: "boundary", negated: true };
      return { kind: "class", class: readEscape(cursor, false) };
    default:
      return literal(next);
  }
};

const literal = (character: string): PatternNode => ({ kind: "class", class: literalClass(character) });

const readGroup = (cursor: PatternCursor, depth: number): PatternNode => {
  if (cursor.skip("?") && !cursor.skip(":")) {
    const rest = cursor.rest();
    const name = /^<[\p{ID_Start}$_][\p{ID_Continue}$]*>/u.exec(rest)?.[0];
    if (/^(?:=|!|<=|<!)/.test(rest))
      throw new PatternError("looks ahead or behind with (?=, (?!, (?<= or (?<!");
    if (name === undefined) throw new PatternError("has a group that is not (…), (?:…) or (?<name>…)");
    cursor.advance(name);
  }
  const body = readChoice(cursor, depth + 1);
  if (!cursor.skip(")")) throw new PatternError('has a "(" that is not closed');
  return { kind: "sequence", parts: [body] };
};

const quantifiers: Readonly<Record<string, readonly [number, number]>> = {
  "*": [0, Number.POSITIVE_INFINITY],
  "+": [1, Number.POSITIVE_INFINITY],
  "?": [0, 1],
};

const readRepeat = (cursor: PatternCursor, body: PatternNode): PatternNode => {
  const count = readCount(cursor);
  if (count === undefined) return body;
  cursor.skip("?");
  const [min, max] = count;
  if (min > max) throw new PatternError(`repeats at least ${min} and at most ${max} times`);
  if (body.kind === "start" || body.kind === "end" || body.kind === "boundary") {
    throw new PatternError("repeats an assertion");
  }
  return { kind: "repeat", body, min, max };
};

const readCount = (cursor: PatternCursor): readonly [number, number] | undefined => {
  const sign = /^[*+?]/.exec(cursor.rest())?.[0];
  if (sign !== undefined) {
    cursor.advance(sign);
    return quantifiers[sign];
  }
  const braces = /^\{(\d+)(,?)(\d*)\}/.exec(cursor.rest());
  if (braces === null) {
    if (/^\{[\d,]/.test(cursor.rest()))
      throw new PatternError('has a "{" that does not start a count like {2,5}');
    return undefined;
  }
  const [text, from, comma, to] = braces as unknown as [string, string, string, string];
  if (comma === "" && to !== "") throw new PatternError('has a "{" that does not start a count like {2,5}');
  cursor.advance(text);
  const max = to !== "" ? Number(to) : comma === "" ? Number(from) : Number.POSITIVE_INFINITY;
  return [Number(from), max];
};

const readMember = (cursor: PatternCursor): CharClass => {
  const next = cursor.take();
  return next === "\\" ? readEscape(cursor, true) : literalClass(next);
};

const codeOf = (member: CharClass): number | undefined => {
  const [range] = member.ranges;
  const isOne = member.ranges.length === 1 && member.properties.length === 0 && range![0] === range![1];
  return isOne ? range![0] : undefined;
};

const readClass = (cursor: PatternCursor): CharClass => {
  const negated = cursor.skip("^");
  const ranges: (readonly [number, number])[] = [];
  const properties: string[] = [];
  const add = (member: CharClass): void => {
    ranges.push(...member.ranges);
    properties.push(...member.properties);
  };
  while (!cursor.skip("]")) {
    if (cursor.peek() === undefined) throw new PatternError('has a "[" that is not closed');
    const member = readMember(cursor);
    if (!/^-[^\]]/s.test(cursor.rest())) {
      add(member);
      continue;
    }
    cursor.skip("-");
    const end = readMember(cursor);
    const [first, last] = [codeOf(member), codeOf(end)];
    if (first === undefined || last === undefined) {
      // A hyphen next to \w is a literal.
      for (const each of [member, literalClass("-"), end]) add(each);
    } else if (first > last) throw new PatternError("has a range in the wrong order");
    else ranges.push([first, last]);
  }
  return { ranges, properties, negated };
};
