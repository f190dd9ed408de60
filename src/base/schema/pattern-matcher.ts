import { loadRe2js } from "./on-demand.cjs";
import { isLinear } from "./pattern/is-linear.ts";
import { PatternError } from "./pattern/read-escape.ts";
import { type PatternNode, readPattern } from "./pattern/read-pattern.ts";
import { checkPatternSize, toLinearSyntax } from "./pattern/to-linear-syntax.ts";
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
