import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "vitest";
import { randomStream } from "../../../src/agent/experiments/statistics/random-stream.ts";
import { buildVictim, type Findings, inspect, runVictim, type Victim } from "./kill-rounds.ts";

export interface Campaign {
  readonly rounds: number;
  readonly seed: number;
  /** Number of rounds per ledger, because checking a large one would take longer than the rounds. */
  readonly perLedger: number;
  /** Maximum number of marks that the process writes before it is killed. */
  readonly withinMarks: number;
  readonly victim?: Victim;
  readonly place: (folder: string) => Promise<string>;
}

/** Kills a process repeatedly, and compares the ledger with the tools' own count each time. */
export const campaign = async ({
  rounds,
  seed,
  perLedger,
  withinMarks,
  victim: killed = "victim",
  place,
}: Campaign): Promise<Findings> => {
  const random = randomStream(seed, "kill");
  const home = mkdtempSync(join(tmpdir(), "haft-kill-"));
  const all: Findings[] = [];
  try {
    const victim = await buildVictim(killed, home);
    for (let first = 0; first < rounds; first += perLedger) {
      const folder = mkdtempSync(join(home, "ledger-"));
      const ledger = await place(folder);
      for (let round = first; round < Math.min(rounds, first + perLedger); round++) {
        const kill = { afterMarks: Math.floor(random() * withinMarks), andMs: random() * 8 };
        await runVictim(victim, ledger, folder, `r${round}`, kill);
        expect((await inspect(ledger, folder)).broken, `round ${round}`).toEqual([]);
      }
      await runVictim(victim, ledger, folder, "last", undefined);
      const findings = await inspect(ledger, folder);
      expect(findings.broken, "after the last process resumed everything").toEqual([]);
      all.push(findings);
    }
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
  const sum = (of: (one: Findings) => number): number => all.reduce((total, one) => total + of(one), 0);
  return {
    calls: sum(({ calls }) => calls),
    executions: sum(({ executions }) => executions),
    unknown: sum(({ unknown }) => unknown),
    broken: [],
  };
};
