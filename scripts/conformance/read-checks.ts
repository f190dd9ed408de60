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
  /** Why it fails, one line each; empty where it passes. */
  readonly failures: readonly string[];
  readonly warnings: readonly string[];
}

const timestampPattern = /-\d{4}-\d\d-\d\dT[\d-]+Z$/;
const checkText = ({ id, errorMessage, description }: Check): string =>
  `${id}: ${(errorMessage ?? description).replace(/\s+/g, " ").slice(0, 300)}`;

const toScenarioResult = (scenario: string, checks: readonly Check[]): ScenarioResult => {
  const of = (status: Check["status"]) => checks.filter((check) => check.status === status);
  // A client that dies at once leaves no check that fails, and has shown nothing.
  const silent = checks.every(({ status }) => status === "INFO");
  return {
    scenario,
    passed: of("SUCCESS").length,
    failures: silent ? ["nothing was checked"] : of("FAILURE").map(checkText),
    warnings: of("WARNING").map(checkText),
  };
};

/** What a referee found, by scenario, as it left it in a folder. A folder without a verdict is a failure. */
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
