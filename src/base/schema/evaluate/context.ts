import { formatCheck } from "../formats/format-checks.ts";
import type { Finding } from "../issues.ts";
import { isOneOf } from "../keywords.ts";
import { type Matcher, toMatcher } from "../pattern.ts";
import { definitionOf, type PlainNode, type PlainSchema } from "../plain/plain-schema.ts";
import { spend } from "./budget.ts";

/** What the compiled code and the explanation share about one schema. */
export interface JudgeContext {
  readonly schema: PlainSchema;
  readonly follow: (reference: string) => PlainNode;
  readonly matcher: (pattern: string) => Matcher;
  readonly fits: (values: readonly unknown[], value: unknown) => boolean;
  readonly isFormat: (name: string, value: unknown) => boolean;
}

/** Whether a value holds against a schema, without saying why not. */
export type Holds = (node: PlainNode, value: unknown) => boolean;

/**
 * Reads the plain schema beside the value, slowly, and finds every reason why it does not hold. The compiled code
 * gives the same answer in a fraction of the time but without reasons; the suites hold one against the other.
 */
export interface SchemaJudge {
  readonly context: JudgeContext;
  readonly find: (node: PlainNode, value: unknown, pointer: string) => Generator<Finding>;
  readonly holds: Holds;
}

export const judgeContext = (schema: PlainSchema, formats: "annotate" | "assert"): JudgeContext => {
  const matchers = new Map<string, Matcher>();
  const choices = new WeakMap<readonly unknown[], (value: unknown) => boolean>();
  return {
    schema,
    follow: (reference) => {
      const number = definitionOf(reference);
      if (schema.recursive.has(number)) spend();
      return schema.definitions[number]!;
    },
    matcher: (pattern) => {
      const matcher = matchers.get(pattern) ?? toMatcher(pattern);
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
