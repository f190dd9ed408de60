import { randomBytes } from "node:crypto";
import { beforeAll, expect, it } from "vitest";
import { usePostgres } from "../kit/use-postgres.ts";
import { campaign } from "./kill-campaign.ts";

const rounds = process.env.HAFT_SOAK ? 100 : 10;
const world = usePostgres();

beforeAll(() => {
  process.env.HAFT_LEDGER_KEY = randomBytes(32).toString("base64");
});

it("a repeatedly killed process loses no acknowledged row in PostgreSQL, repeats no call, and leaves a valid chain", {
  timeout: rounds * 30_000,
}, async () => {
  const findings = await campaign({
    rounds,
    seed: 16_112_026,
    perLedger: 10,
    withinMarks: 30,
    place: world.migrated,
  });
  console.log(`killed ${rounds} times with PostgreSQL: ${JSON.stringify(findings)}`);
  // Progress before each kill depends on the machine.
  expect(findings.calls).toBeGreaterThanOrEqual(rounds);
});

const loops = process.env.HAFT_SOAK ? 100 : 5;

it("a repeatedly killed loop of a framework repeats no session call in PostgreSQL", {
  timeout: Math.max(180_000, loops * 30_000),
}, async () => {
  const victim = "session-victim";
  const findings = await campaign({
    rounds: loops,
    seed: 17_112_026,
    perLedger: 10,
    withinMarks: 30,
    victim,
    place: world.migrated,
  });
  console.log(`killed ${loops} loops with PostgreSQL: ${JSON.stringify(findings)}`);
  // Progress before each kill depends on the machine.
  expect(findings.calls).toBeGreaterThanOrEqual(loops);
});
