import { loadRe2js } from "./on-demand.cjs";
import { type CharSet, complement, hasOverlap, normalized, propertySet } from "./pattern/char-set.ts";
import { type CharClass, PatternError } from "./pattern/read-escape.ts";
import { type PatternNode, readPattern } from "./pattern/read-pattern.ts";
import { schemaLimits } from "./plain/plain-schema.ts";
import { refuseSchema } from "./plain/refuse-schema.ts";

/** Matches in linear time. */
export interface PatternMatcher {
  readonly test: (text: string) => boolean;
  readonly engine: "native" | "linear";
}

const nativeRegExpOf = (source: string, node: PatternNode): RegExp | undefined => {
  if (!isLinear(node)) return undefined;
  try {
    return new RegExp(source, "u");
  } catch {
    return undefined;
  }
};

const readSource = (source: string): { readonly node: PatternNode; readonly native: RegExp | undefined } => {
  const node = readPattern(source);
  const native = nativeRegExpOf(source, node);
  if (native === undefined) checkPatternSize(node);
  return { node, native };
};

/** Refuses a pattern that cannot be matched in linear time with ECMA-262 semantics. */
export const checkPattern = (source: string, pointer: string): void => {
  try {
    readSource(source);
  } catch (problem) {
    if (!(problem instanceof PatternError)) throw problem;
    refuseSchema(pointer, `the pattern ${JSON.stringify(source.slice(0, 100))} ${problem.message}`);
  }
};

/** Native if no backtracking is possible, otherwise RE2. */
export const toPatternMatcher = (source: string): PatternMatcher => {
  const { node, native } = readSource(source);
  if (native !== undefined) return { test: (text) => native.test(text), engine: "native" };
  const linear = loadRe2js().RE2JS.compile(toLinearSyntax(node));
  return { test: (text) => linear.test(text), engine: "linear" };
};

interface PatternItem {
  readonly set: CharSet;
  readonly min: number;
  readonly max: number;
}

const maxSearchLength = 64;

const flatten = (node: PatternNode): readonly PatternNode[] =>
  node.kind === "sequence" ? node.parts.flatMap(flatten) : [node];

const toItem = (node: PatternNode): PatternItem | undefined => {
  if (node.kind === "repeat") {
    const body = flatten(node.body);
    const only = body.length === 1 ? toItem(body[0]!) : undefined;
    return only?.min === 1 && only.max === 1 ? { ...only, min: node.min, max: node.max } : undefined;
  }
  if (node.kind !== "class" || node.class.properties.length > 0) return undefined;
  const { ranges, negated } = node.class;
  return { set: negated ? complement(ranges) : normalized(ranges), min: 1, max: 1 };
};

/** No following item overlaps with the repetition. */
const endsInOnePlace = (items: readonly PatternItem[], at: number): boolean => {
  const run = items[at]!;
  if (run.min === run.max) return true;
  for (const next of items.slice(at + 1)) {
    if (hasOverlap(run.set, next.set)) return false;
    if (next.min > 0) return true;
  }
  return true;
};

/**
 * Whether a backtracking engine matches in linear time. Conservative: other patterns use the slower linear
 * engine.
 */
const isLinear = (pattern: PatternNode): boolean => {
  const parts = [...flatten(pattern)];
  const anchored = parts[0]?.kind === "start";
  if (anchored) parts.shift();
  if (parts.at(-1)?.kind === "end") parts.pop();
  const items: PatternItem[] = [];
  for (const part of parts) {
    const item = toItem(part);
    if (item === undefined) return false;
    items.push(item);
  }
  if (anchored) return items.every((_, at) => endsInOnePlace(items, at));
  // An unanchored search restarts at every character.
  return (
    items.every(({ min, max }) => min === max) &&
    items.reduce((sum, { max }) => sum + max, 0) <= maxSearchLength
  );
};

const hex = (code: number): string => `\\x{${code.toString(16)}}`;

const writeSet = (set: CharSet): string => {
  const ranges = set.map(([first, last]) => (first === last ? hex(first) : `${hex(first)}-${hex(last)}`));
  return ranges.length === 0 ? `[^${hex(0)}-${hex(0x10ffff)}]` : `[${ranges.join("")}]`;
};

const writeClass = ({ ranges, properties, negated }: CharClass): string => {
  const all = normalized([...ranges, ...properties.flatMap((each) => propertySet(each))]);
  return writeSet(negated ? complement(all) : all);
};

const writeCount = (min: number, max: number): string => {
  if (max === Number.POSITIVE_INFINITY) return min === 0 ? "*" : min === 1 ? "+" : `{${min},}`;
  return min === 0 && max === 1 ? "?" : min === max ? `{${min}}` : `{${min},${max}}`;
};

/** Classes are expanded, because RE2 has other Unicode tables. */
export const toLinearSyntax = (node: PatternNode): string => {
  switch (node.kind) {
    case "class":
      return writeClass(node.class);
    case "start":
      return "\\A";
    case "end":
      return "\\z";
    case "boundary":
      return node.negated ? "\\B" : "\\b";
    case "sequence":
      return node.parts.map((part) => `(?:${toLinearSyntax(part)})`).join("");
    case "choice":
      return node.branches.map((branch) => `(?:${toLinearSyntax(branch)})`).join("|");
    case "repeat":
      return node.max === 0 ? "(?:)" : `(?:${toLinearSyntax(node.body)})${writeCount(node.min, node.max)}`;
  }
};

const sizeOf = (node: PatternNode): number => {
  switch (node.kind) {
    case "sequence":
      return node.parts.reduce((sum, part) => sum + sizeOf(part), 0);
    case "choice":
      return node.branches.reduce((sum, branch) => sum + sizeOf(branch), 1);
    case "repeat":
      return sizeOf(node.body) * Math.max(1, node.max === Number.POSITIVE_INFINITY ? node.min : node.max);
    default:
      return 1;
  }
};

/** The linear engine's cost per character grows with the expanded pattern. */
const checkPatternSize = (node: PatternNode): void => {
  if (sizeOf(node) <= schemaLimits.patternSize) return;
  throw new PatternError(
    `repeats so much that it expands to more than ${schemaLimits.patternSize} parts; use maxLength or maxItems`,
  );
};
