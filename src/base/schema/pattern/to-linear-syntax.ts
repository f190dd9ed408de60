import { schemaLimits } from "../limits.ts";
import { type CharSet, complement, normalized, propertySet } from "./char-set.ts";
import { type CharClass, PatternError } from "./read-escape.ts";
import type { PatternNode } from "./read-pattern.ts";

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
export const checkPatternSize = (node: PatternNode): void => {
  if (sizeOf(node) <= schemaLimits.patternSize) return;
  throw new PatternError(
    `repeats so much that written out it has more than ${schemaLimits.patternSize} parts; say it with maxLength or maxItems`,
  );
};
