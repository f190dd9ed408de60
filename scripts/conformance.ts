import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  expectedFailuresFile,
  findUnexpectedResults,
  readExpectedFailures,
} from "./conformance/expected-failures.ts";
import { findUnrecordedTools } from "./conformance/find-unrecorded-tools.ts";
import { runSuite } from "./conformance/run-suite.ts";
import { type ConformanceTarget, startGateway, startUpstream } from "./conformance/start-gateway.ts";
import { type ConformanceSuite, conformanceSuites, root } from "./conformance/suites.ts";
import { readFlags } from "./flags.ts";
import { installSystemPackages } from "./system-packages.ts";

const flags = readFlags({
  "--only": "run only the named suite",
  "--direct": "test only the upstream server, without the gateway",
  "--json": "print the scores as JSON",
});
const chosenSuite = flags.has("--only") ? process.argv[process.argv.indexOf("--only") + 1] : undefined;
const direct = flags.has("--direct");
const chosen = conformanceSuites.filter(
  ({ name, side }) => (chosenSuite === undefined || chosenSuite === name) && !(direct && side === "client"),
);
if (chosen.length === 0) {
  console.error(
    `Unknown suite ${chosenSuite}. The suites are ${conformanceSuites.map(({ name }) => name).join(", ")}.`,
  );
  process.exit(2);
}
installSystemPackages();

interface SuiteOutcome {
  readonly suite: string;
  readonly scenarios: number;
  readonly clean: number;
  readonly checks: number;
  readonly failedChecks: number;
  readonly unscored: number;
  readonly warnings: readonly string[];
  readonly expected: readonly string[];
  readonly problems: readonly string[];
  readonly ledgerEntries?: number;
  readonly seconds: number;
}

const expected = direct ? {} : readExpectedFailures(readFileSync(join(root, expectedFailuresFile), "utf8"));

const judgeSuite = async (suite: ConformanceSuite, folder: string): Promise<SuiteOutcome> => {
  const start = performance.now();
  let standing: ConformanceTarget | undefined;
  const problems: string[] = [];
  if (suite.side === "server") standing = await (direct ? startUpstream() : startGateway(folder));
  const run = await runSuite(suite, folder, standing?.url).finally(async () => {
    problems.push(...((await standing?.stop()) ?? []));
  });
  const verdicts = [...run.verdicts.values()];
  const recorded = standing?.recorded() ?? new Map<string, number>();
  if (verdicts.length < suite.least)
    problems.push(
      `the conformance runner ran ${verdicts.length} of ${suite.least} scenarios: ${run.output.slice(-1000)}`,
    );
  problems.push(...findUnexpectedResults(run.verdicts, expected[suite.name]));
  if (suite.side === "server" && !direct) problems.push(...findUnrecordedTools(run.verdicts, recorded));
  const failing = verdicts.filter(({ failures }) => failures.length > 0);
  const sum = (of: (verdict: (typeof verdicts)[number]) => number) =>
    verdicts.reduce((n, each) => n + of(each), 0);
  return {
    suite: suite.name,
    scenarios: verdicts.length,
    clean: verdicts.length - failing.length,
    checks: sum(({ passed }) => passed),
    failedChecks: sum(({ failures }) => failures.length),
    unscored: run.unscored.size,
    warnings: verdicts.flatMap(({ scenario, warnings }) =>
      warnings.map((warning) => `${scenario} ${warning}`),
    ),
    expected: failing.map(({ scenario }) => scenario).filter((scenario) => expected[suite.name]?.[scenario]),
    problems,
    ...(suite.side === "server" &&
      !direct && { ledgerEntries: [...recorded.values()].reduce((a, b) => a + b, 0) }),
    seconds: Math.round((performance.now() - start) / 1000),
  };
};

/** The outcome of a suite that failed to run. */
const failedOutcome = ({ name }: ConformanceSuite, error: Error): SuiteOutcome => ({
  suite: name,
  scenarios: 0,
  clean: 0,
  checks: 0,
  failedChecks: 0,
  unscored: 0,
  warnings: [],
  expected: [],
  problems: [error.message],
  seconds: 0,
});

const printOutcome = (outcome: SuiteOutcome): void => {
  const { suite, clean, scenarios, checks, failedChecks, unscored, ledgerEntries, seconds, problems } =
    outcome;
  const ledger = ledgerEntries === undefined ? "" : `, ${ledgerEntries} ledger entries`;
  const aside = unscored === 0 ? "" : ` (${unscored} of them not scored)`;
  console.log(
    `${problems.length === 0 ? "pass" : "FAIL"}  ${suite}: ${clean} of ${scenarios} scenarios${aside}, ` +
      `${checks} checks passed, ${failedChecks} failed, ${outcome.warnings.length} warnings${ledger}, ${seconds} s`,
  );
  for (const scenario of outcome.expected)
    console.log(`      expected: ${scenario}: ${expected[suite]?.[scenario]}`);
  for (const warning of outcome.warnings) console.log(`      warning: ${warning}`);
  for (const problem of problems) console.log(`      ${problem}`);
};

const home = mkdtempSync(join(tmpdir(), "haft-conformance-"));
const outcomes: SuiteOutcome[] = [];
try {
  for (const suite of chosen) {
    const folder = mkdtempSync(join(home, `${suite.name}-`));
    const outcome = await judgeSuite(suite, folder).catch((error: Error) => failedOutcome(suite, error));
    outcomes.push(outcome);
    if (!flags.has("--json")) printOutcome(outcome);
  }
} finally {
  rmSync(home, { recursive: true, force: true });
}
if (flags.has("--json")) console.log(JSON.stringify(outcomes, null, 2));
if (outcomes.some(({ problems }) => problems.length > 0)) process.exitCode = 1;
