import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type RandomSource, randomStream } from "../../../src/agent/experiments/statistics/random-stream.ts";
import { bundleProgram } from "../kit/bundle-program.ts";
import type { Finding } from "./judge.ts";
import { processGroups } from "./process-groups.ts";
import { type Fault, type FaultyPlace, type Plan, takeOver } from "./takeover.ts";

export interface Campaign {
  readonly seed: number;
  readonly faults: readonly Fault[];
  readonly takeovers: number;
  /** Number of concurrent takeovers, which mostly wait. */
  readonly concurrency: number;
  readonly place: (folder: string, number: number) => Promise<FaultyPlace>;
}

const afterwards = ["finish", "make another call", "repeat the held call"] as const;

const toPlan = (fault: Fault, random: RandomSource): Plan => {
  const { returnsWithinMs: within } = fault;
  // When the held call may succeed, repeating it is allowed, and the witness cannot tell the two calls apart.
  const choices = within === undefined ? afterwards.length : afterwards.length - 1;
  const script = {
    turnsBefore: Math.floor(random() * 3),
    afterwards: afterwards[Math.floor(random() * choices)]!,
  };
  const fails = random() < 0.25;
  const draw = random();
  const whenTaken = draw < 0.6 ? "meanwhile" : "afterwards";
  return {
    fault,
    script,
    fails,
    returns: within === undefined ? whenTaken : within[0] + draw * (within[1] - within[0]),
  };
};

/** Runs takeovers with two new processes and a separate ledger each, and cycles through the faults. */
export const campaign = async ({
  seed,
  faults,
  takeovers,
  concurrency,
  place,
}: Campaign): Promise<readonly Finding[]> => {
  const random = randomStream(seed, "takeover");
  const plans = Array.from({ length: takeovers }, (_, n) => toPlan(faults[n % faults.length]!, random));
  const home = mkdtempSync(join(tmpdir(), "haft-takeover-"));
  const groups = processGroups(await bundleProgram(new URL("actor.ts", import.meta.url), home));
  const findings: Finding[] = [];
  let begun = 0;
  const takeNext = async (): Promise<void> => {
    while (begun < plans.length) {
      const number = begun++;
      const folder = join(home, String(number));
      await using at = await place(folder, number);
      findings[number] = await takeOver(plans[number]!, groups, folder, at);
    }
  };
  try {
    const done = await Promise.allSettled(Array.from({ length: concurrency }, takeNext));
    for (const each of done) if (each.status === "rejected") throw each.reason;
  } finally {
    await groups.end();
    rmSync(home, { recursive: true, force: true });
  }
  return findings;
};

/** One sentence per violated invariant. */
export const brokenIn = (findings: readonly Finding[]): readonly string[] =>
  findings.flatMap(({ broken, fault, note }, number) =>
    broken.map((sentence) => `takeover ${number}, ${fault}: ${sentence} ${note}`),
  );

/** Fraction of takeovers during the held call in which `b` finished the run. */
export const provenPart = (findings: readonly Finding[]): number =>
  findings.filter(({ wasInside, end }) => wasInside && isEnd(end)).length / findings.length;

const isEnd = (end: Finding["end"]): boolean => end === "ended" || end === "parked" || end === "given up";

const ends = ["ended", "parked", "given up", "kept", "locked out", "none"] as const;
const titles = [
  "fault",
  "takeovers",
  "inside",
  ...ends,
  "effects twice",
  "stale taken",
  "stale refused",
  "verify whole",
];

export const toTable = (findings: readonly Finding[]): string => {
  const faults = [...new Set(findings.map(({ fault }) => fault))];
  const rows = faults.map((fault) =>
    toRow(
      fault,
      findings.filter((one) => one.fault === fault),
    ),
  );
  const table = [titles, ...rows, toRow("all", findings)];
  const widths = titles.map((_, at) => Math.max(...table.map((row) => row[at]!.length)));
  return table.map((row) => row.map((cell, at) => cell.padEnd(widths[at]!)).join("  ")).join("\n");
};

const toRow = (name: string, findings: readonly Finding[]): readonly string[] => {
  const count = (is: (one: Finding) => boolean): number => findings.filter(is).length;
  const sum = (of: (one: Finding) => number): number => findings.reduce((all, one) => all + of(one), 0);
  const cells = [
    findings.length,
    count(({ wasInside }) => wasInside),
    ...ends.map((end) => count((one) => one.end === end)),
    sum(({ effectsTwice }) => effectsTwice),
    sum(({ staleTaken }) => staleTaken),
    sum(({ staleRefused }) => staleRefused),
    count(({ isWhole }) => isWhole),
  ];
  return [name, ...cells.map(String)];
};
