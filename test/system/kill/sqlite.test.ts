import { join } from "node:path";
import { expect, it } from "vitest";
import { campaign } from "./kill-campaign.ts";

/** The whole: `npm run soak`. */
const rounds = process.env.HAFT_SOAK ? 500 : 50;

it("a process that is killed again and again loses no acknowledged row in SQLite, runs no call twice, and leaves a chain that verifies", {
  timeout: rounds * 20_000,
}, async () => {
  const place = async (folder: string) => `sqlite:${join(folder, "ledger.db")}`;
  const findings = await campaign({ rounds, seed: 20_261_116, perLedger: 25, withinMarks: 30, place });
  console.log(`killed ${rounds} times with SQLite: ${JSON.stringify(findings)}`);
  // How far each process got before its kill depends on the machine.
  expect(findings.calls).toBeGreaterThanOrEqual(rounds);
  expect(findings.unknown).toBeGreaterThan(0);
});
