import { readFileSync } from "node:fs";
import { relative } from "node:path";
import type { TestedMutant } from "./stryker.ts";

export interface Survivor {
  readonly at: string;
  readonly mutator: string;
  readonly original: string;
  readonly replacement: string;
  readonly covered: boolean;
}

export interface MutantModuleResult {
  readonly module: string;
  readonly mutants: number;
  readonly killed: number;
  readonly timeout: number;
  readonly survived: number;
  readonly noCoverage: number;
  /** Percentage of valid mutants that a test or timeout detected. */
  readonly score: number;
  readonly seconds: number;
  readonly survivors: readonly Survivor[];
}

/** Ignored and rejected mutants, and those that failed before any test, are not counted. */
export const toMutantModuleResult = (
  module: string,
  tested: readonly TestedMutant[],
  seconds: number,
): MutantModuleResult => {
  const count = (status: string) => tested.filter((mutant) => mutant.status === status).length;
  const [killed, timeout, survived, noCoverage] = [
    count("Killed"),
    count("Timeout"),
    count("Survived"),
    count("NoCoverage"),
  ];
  const mutants = killed + timeout + survived + noCoverage;
  const alive = tested.filter(({ status }) => status === "Survived" || status === "NoCoverage");
  const score = mutants === 0 ? 100 : Math.floor(((killed + timeout) / mutants) * 1_000) / 10;
  const survivors = alive
    .map(toSurvivor)
    .toSorted((one, other) => one.at.localeCompare(other.at, "en", { numeric: true }));
  return { module, mutants, killed, timeout, survived, noCoverage, score, seconds, survivors };
};

const toSurvivor = ({
  fileName,
  location: { start, end },
  mutatorName,
  replacement,
  status,
}: TestedMutant): Survivor => {
  const lines = readFileSync(fileName, "utf8")
    .split("\n")
    .slice(start.line - 1, end.line);
  const first = (lines[0] ?? "").slice(start.column - 1, lines.length === 1 ? end.column - 1 : undefined);
  return {
    at: `${relative(process.cwd(), fileName)}:${start.line}:${start.column}`,
    mutator: mutatorName,
    original: lines.length === 1 ? first : `${first} …`,
    replacement: replacement.replace(/\s+/g, " "),
    covered: status !== "NoCoverage",
  };
};

export const mutantTable = (results: readonly MutantModuleResult[]): string =>
  [
    "| module | mutants | killed | timeout | survived | no coverage | score | minutes |",
    "|---|--:|--:|--:|--:|--:|--:|--:|",
    ...results.map(
      ({ module, mutants, killed, timeout, survived, noCoverage, score, seconds }) =>
        `| ${module} | ${mutants} | ${killed} | ${timeout} | ${survived} | ${noCoverage} | ${score} % | ${Math.ceil(seconds / 60)} |`,
    ),
  ].join("\n");

export const survivorLines = (survivors: readonly Survivor[]): string =>
  survivors
    .map(({ at, mutator, original, replacement, covered }) => {
      const note = covered ? "" : " (no coverage)";
      return `${at}  ${mutator}${note}\n    ${original}\n  → ${replacement}`;
    })
    .join("\n");
