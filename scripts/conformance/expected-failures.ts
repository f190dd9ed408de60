import type { ScenarioResult } from "./read-checks.ts";
import { conformanceSuites } from "./suites.ts";

/** Suite, scenario, and why its failure is expected. */
export type ExpectedFailures = Readonly<Record<string, Readonly<Record<string, string>>>>;

export const expectedFailuresFile = "test/system/conformance/expected-failures.json";

/** Rejects entries without a reason and unknown suites. */
export const readExpectedFailures = (text: string): ExpectedFailures => {
  const expected = JSON.parse(text) as ExpectedFailures;
  for (const [suite, scenarios] of Object.entries(expected)) {
    if (!conformanceSuites.some(({ name }) => name === suite))
      throw new Error(`${expectedFailuresFile} has an unknown suite ${suite}.`);
    for (const [scenario, reason] of Object.entries(scenarios))
      if (typeof reason !== "string" || reason.trim().length < 10)
        throw new Error(`${expectedFailuresFile} gives no reason for ${suite} ${scenario}.`);
  }
  return expected;
};

/** Failures without a reason, and reasons for scenarios that pass. */
export const findUnexpectedResults = (
  verdicts: ReadonlyMap<string, ScenarioResult>,
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
          ? `${scenario} is expected to fail but passes: remove it from the file`
          : `${scenario} is expected to fail but does not exist`,
      ),
  ];
};
