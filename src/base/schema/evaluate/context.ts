import { formatCheck } from "../format-checks.ts";
import type { SchemaFinding } from "../issues.ts";
import { isOneOf } from "../keywords.ts";
import { type PatternMatcher, toPatternMatcher } from "../pattern-matcher.ts";
import { definitionIndexOf, type PlainNode, type PlainSchema } from "../plain/plain-schema.ts";

export interface EvaluationContext {
  readonly schema: PlainSchema;
  readonly follow: (reference: string) => PlainNode;
  readonly matcher: (pattern: string) => PatternMatcher;
  readonly fits: (values: readonly unknown[], value: unknown) => boolean;
  readonly isFormat: (name: string, value: unknown) => boolean;
}

export type NodePredicate = (node: PlainNode, value: unknown) => boolean;

/** Finds every reason why a value is invalid. Must agree with the faster compiled check. */
export interface SchemaEvaluator {
  readonly context: EvaluationContext;
  readonly find: (node: PlainNode, value: unknown, pointer: string) => Generator<SchemaFinding>;
  readonly holds: NodePredicate;
}

export const evaluationContext = (schema: PlainSchema, formats: "annotate" | "assert"): EvaluationContext => {
  const matchers = new Map<string, PatternMatcher>();
  const choices = new WeakMap<readonly unknown[], (value: unknown) => boolean>();
  return {
    schema,
    follow: (reference) => {
      const number = definitionIndexOf(reference);
      if (schema.recursive.has(number)) spendEvaluationStep();
      return schema.definitions[number]!;
    },
    matcher: (pattern) => {
      const matcher = matchers.get(pattern) ?? toPatternMatcher(pattern);
      matchers.set(pattern, matcher);
      return matcher;
    },
    fits: (values, value) => {
      const fits = choices.get(values) ?? isOneOf(values);
      choices.set(values, fits);
      return fits(value);
    },
    isFormat: (name, value) => formats === "annotate" || (formatCheck(name)?.(value) ?? true),
  };
};

export class EvaluationLimitError extends Error {}

let stepsLeft = 0;

/** Evaluation is synchronous, so one counter serves every schema. */
export const startEvaluationBudget = (steps: number): void => {
  stepsLeft = steps;
};

/** Called at each recursion, because a union can double the work at every level. */
export const spendEvaluationStep = (): true => {
  if (--stepsLeft < 0) throw new EvaluationLimitError("its nested parts need too many steps");
  return true;
};
