import type { Verdict } from "./read-checks.ts";
import { suites } from "./suites.ts";

/** Suite, scenario, and why it is right that it fails. */
export type Expected = Readonly<Record<string, Readonly<Record<string, string>>>>;

export const expectedFile = "test/system/conformance/expected-failures.json";

/** Refuses an entry that gives no reason, or names a suite that is none. */
export const readExpected = (text: string): Expected => {
  const expected = JSON.parse(text) as Expected;
  for (const [suite, scenarios] of Object.entries(expected)) {
    if (!suites.some(({ name }) => name === suite))
      throw new Error(`${expectedFile} names a suite ${suite}, which is none.`);
    for (const [scenario, reason] of Object.entries(scenarios))
      if (typeof reason !== "string" || reason.trim().length < 10)
        throw new Error(`${expectedFile} gives no reason for ${suite} ${scenario}.`);
  }
  return expected;
};

/** What is not as it was expected: a failure nobody gave a reason for, and a reason for what does not fail. */
export const surprises = (
  verdicts: ReadonlyMap<string, Verdict>,
  expected: Readonly<Record<string, string>> = {},
): readonly string[] => {
  const failing = [...verdicts.values()].filter(({ failures }) => failures.length > 0);
  return [
    ...failing
      .filter(({ scenario }) => !Object.hasOwn(expected, scenario))
      .flatMap(({ scenario, failures }) => failures.map((failure) => `${scenario} fails: ${failure}`)),
    ...Object.keys(expected)
      .filter((scenario) => !failing.some((verdict) => verdict.scenario === scenario))
      .map((scenario) =>
        verdicts.has(scenario)
          ? `${scenario} is expected to fail, and passes: take it out of the file`
          : `${scenario} is expected to fail, and there is no such scenario`,
      ),
  ];
};
