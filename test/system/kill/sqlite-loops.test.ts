import { join } from "node:path";
import { expect, it } from "vitest";
import { campaign } from "./kill-campaign.ts";

/** `npm run soak` runs all rounds. */
const loops = process.env.HAFT_SOAK ? 500 : 20;

it("a repeatedly killed loop of a framework repeats no session call in SQLite, and completes", {
  timeout: loops * 20_000,
}, async () => {
  const place = async (folder: string) => `sqlite:${join(folder, "ledger.db")}`;
  const victim = "session-victim";
  const findings = await campaign({
    rounds: loops,
    seed: 17_112_026,
    perLedger: 20,
    withinMarks: 30,
    victim,
    place,
  });
  console.log(`killed ${loops} loops with SQLite: ${JSON.stringify(findings)}`);
  // Progress before each kill depends on the machine.
  expect(findings.calls).toBeGreaterThanOrEqual(loops);
  expect(findings.unknown).toBeGreaterThan(0);
});
