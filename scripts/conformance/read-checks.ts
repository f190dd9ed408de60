import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

interface Check {
  readonly id: string;
  readonly status: "SUCCESS" | "FAILURE" | "WARNING" | "SKIPPED" | "INFO";
  readonly errorMessage?: string;
  readonly description: string;
}

export interface ScenarioResult {
  readonly scenario: string;
  readonly passed: number;
  /** Reasons of a failure, one line each; empty if it passes. */
  readonly failures: readonly string[];
  readonly warnings: readonly string[];
}

const timestampPattern = /-\d{4}-\d\d-\d\dT[\d-]+Z$/;
const checkText = ({ id, errorMessage, description }: Check): string =>
  `${id}: ${(errorMessage ?? description).replace(/\s+/g, " ").slice(0, 300)}`;

const toScenarioResult = (scenario: string, checks: readonly Check[]): ScenarioResult => {
  const of = (status: Check["status"]) => checks.filter((check) => check.status === status);
  // A client that exits at once leaves no failed check, but has proved nothing.
  const silent = checks.every(({ status }) => status === "INFO");
  return {
    scenario,
    passed: of("SUCCESS").length,
    failures: silent ? ["nothing was checked"] : of("FAILURE").map(checkText),
    warnings: of("WARNING").map(checkText),
  };
};

/** Reads the results of a suite from its folder, by scenario. A folder without a result is a failure. */
export const readChecks = (
  folder: string,
  side: "server" | "client",
): ReadonlyMap<string, ScenarioResult> => {
  const verdicts = new Map<string, ScenarioResult>();
  const entries = readdirSync(folder, { recursive: true, encoding: "utf8" });
  const files = new Set(entries);
  for (const entry of entries.filter((each) => timestampPattern.test(each)).sort()) {
    const named = entry.replace(timestampPattern, "");
    const scenario = side === "server" ? named.replace(/^server-/, "") : named;
    const file = join(entry, "checks.json");
    const checks = files.has(file)
      ? (JSON.parse(readFileSync(join(folder, file), "utf8")) as readonly Check[])
      : [];
    verdicts.set(scenario, toScenarioResult(scenario, checks));
  }
  return verdicts;
};
