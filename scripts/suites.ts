import { existsSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Score, Suite } from "../test/suites/suite.ts";
import { readFlags } from "./flags.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const dataDir = process.env.HAFT_SUITES ?? join(root, "../shared/data");
const asJson = readFlags({ "--json": "print the scores as JSON" }).has("--json");
const maxDetails = 10;

interface SuiteScore extends Omit<Suite, "run"> {
  /** Undefined when the data folder has nothing for the suite. */
  readonly score?: Score;
  readonly ms: number;
  readonly passed: boolean;
}

/** Every file of the folder that exports a name, a floor and a run is a suite. */
const findSuites = async (): Promise<readonly Suite[]> => {
  const folder = join(root, "test/suites");
  const files = (await readdir(folder)).filter((file) => file.endsWith(".ts") && !file.endsWith(".test.ts"));
  const modules: Suite[] = await Promise.all(files.sort().map((file) => import(join(folder, file))));
  return modules.filter(({ run }) => run !== undefined);
};

const scoreOf = async (suite: Suite): Promise<Score | undefined> => {
  try {
    return await suite.run(dataDir);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
};

const runSuite = async (suite: Suite): Promise<SuiteScore> => {
  const start = performance.now();
  const { name, floor, mostWrong = Number.POSITIVE_INFINITY } = suite;
  const score = await scoreOf(suite);
  const ms = Math.round(performance.now() - start);
  if (score === undefined) return { name, floor, ms, passed: true };
  const passed = score.total > 0 && score.right / score.total >= floor && score.wrong <= mostWrong;
  return { name, floor, score, ms, passed };
};

const percent = (share: number): string => `${(100 * share).toFixed(2)} %`;

const printScore = ({ name, floor, score, ms, passed }: SuiteScore): void => {
  if (score === undefined) {
    console.log(`skip  ${name}: no data`);
    return;
  }
  const { right, wrong, total, notes = [] } = score;
  const [about = "", ...details] = notes;
  const share = `${right} of ${total} right (${percent(right / total)}, floor ${percent(floor)})`;
  const rest = `${wrong} wrong, ${Math.max(0, total - right - wrong)} refused, ${ms} ms`;
  console.log(`${passed ? "pass" : "FAIL"}  ${name}: ${share}, ${rest}${about && `; ${about}`}`);
  if (passed) return;
  for (const each of details.slice(0, maxDetails)) console.log(`      ${each}`);
  if (details.length > maxDetails) console.log(`      … and ${details.length - maxDetails} more`);
};

if (existsSync(dataDir)) {
  const results: SuiteScore[] = [];
  for (const suite of await findSuites()) {
    const result = await runSuite(suite);
    results.push(result);
    if (!asJson) printScore(result);
  }
  if (asJson) console.log(JSON.stringify(results, null, 2));
  if (results.some(({ passed }) => !passed)) process.exitCode = 1;
} else if (asJson) console.log("[]");
else console.log(`No data at ${dataDir}. Set HAFT_SUITES to its folder. No suite was run.`);
