import { loadRe2js } from "./on-demand.cjs";
import { isLinear } from "./pattern/is-linear.ts";
import { PatternProblem } from "./pattern/read-escape.ts";
import { type PatternNode, readPattern } from "./pattern/read-pattern.ts";
import { refuseSize, toLinearSyntax } from "./pattern/to-linear-syntax.ts";
import { refuseSchema } from "./plain/refusal.ts";

/** Says whether a text matches, in time proportional to the text. */
export interface Matcher {
  readonly test: (text: string) => boolean;
  readonly engine: "native" | "linear";
}

const nativeOf = (source: string, node: PatternNode): RegExp | undefined => {
  if (!isLinear(node)) return undefined;
  try {
    return new RegExp(source, "u");
  } catch {
    return undefined;
  }
};

const read = (source: string): { readonly node: PatternNode; readonly native: RegExp | undefined } => {
  const node = readPattern(source);
  const native = nativeOf(source, node);
  if (native === undefined) refuseSize(node);
  return { node, native };
};

/** Refuses, with its place, what cannot be matched in linear time with the meaning ECMA-262 gives it. */
export const checkPattern = (source: string, pointer: string): void => {
  try {
    read(source);
  } catch (problem) {
    if (!(problem instanceof PatternProblem)) throw problem;
    refuseSchema(pointer, `the pattern ${JSON.stringify(source.slice(0, 100))} ${problem.message}`);
  }
};

/** The native engine where backtracking provably costs nothing, and elsewhere one that never backtracks. */
export const toMatcher = (source: string): Matcher => {
  const { node, native } = read(source);
  if (native !== undefined) return { test: (text) => native.test(text), engine: "native" };
  const linear = loadRe2js().RE2JS.compile(toLinearSyntax(node));
  return { test: (text) => linear.test(text), engine: "linear" };
};
