import { join } from "node:path";
import { expect, it } from "vitest";
import { campaign } from "./kill-campaign.ts";

/** `npm run soak` runs all rounds. */
const rounds = process.env.HAFT_SOAK ? 500 : 50;

it("a repeatedly killed process loses no acknowledged row in SQLite, repeats no call, and leaves a valid chain", {
  timeout: rounds * 20_000,
}, async () => {
  const place = async (folder: string) => `sqlite:${join(folder, "ledger.db")}`;
  const findings = await campaign({ rounds, seed: 20_261_116, perLedger: 25, withinMarks: 30, place });
  console.log(`killed ${rounds} times with SQLite: ${JSON.stringify(findings)}`);
  // Progress before each kill depends on the machine.
  expect(findings.calls).toBeGreaterThanOrEqual(rounds);
  expect(findings.unknown).toBeGreaterThan(0);
});
