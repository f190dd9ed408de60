import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { readChecks, type ScenarioResult } from "./read-checks.ts";
import { startScript } from "./start-script.ts";
import type { ConformanceSuite } from "./suites.ts";

export interface SuiteRun {
  readonly verdicts: ReadonlyMap<string, ScenarioResult>;
  /** Scenarios that the revision does not require. */
  readonly unscored: ReadonlySet<string>;
  readonly output: string;
}

const client = `${process.execPath} test/system/conformance/client.ts`;

/** Runs a suite and reads its results. `url` is that of the server, for server suites. */
export const runSuite = async (
  suite: ConformanceSuite,
  folder: string,
  url: string | undefined,
): Promise<SuiteRun> => {
  const subject = suite.side === "server" ? ["--url", String(url)] : ["--command", client];
  const judge = async (name: string, words: readonly string[]) => {
    const out = join(folder, name);
    mkdirSync(out, { recursive: true });
    const child = startScript(suite.referee, suite.side, ...subject, ...words, "-o", out);
    await child.ended;
    return { output: child.output(), verdicts: readChecks(out, suite.side) };
  };
  const { output, verdicts } = await judge("all", suite.arguments);
  const merged = new Map(verdicts);
  for (const scenario of suite.alone) {
    const again = await judge(scenario, ["--scenario", scenario, "--timeout", "60000"]);
    for (const verdict of again.verdicts.values()) merged.set(verdict.scenario, verdict);
  }
  const listed = output.split(/^Not scored for .*$/m)[1] ?? "";
  const unscored = new Set(
    [...listed.matchAll(/^ {2}\S (\S+) \([\w-]+\)/gm)].map(([, name]) => String(name)),
  );
  return { verdicts: merged, unscored, output };
};
