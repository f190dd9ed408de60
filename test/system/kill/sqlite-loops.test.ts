import { join } from "node:path";
import { expect, it } from "vitest";
import { campaign } from "./kill-campaign.ts";

/** The whole: `npm run soak`. */
const loops = process.env.HAFT_SOAK ? 500 : 20;

it("somebody else's loop that is killed again and again makes no call of its sessions twice in SQLite, and each comes to its end", {
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
  // How far each process got before its kill depends on the machine.
  expect(findings.calls).toBeGreaterThanOrEqual(loops);
  expect(findings.unknown).toBeGreaterThan(0);
});
