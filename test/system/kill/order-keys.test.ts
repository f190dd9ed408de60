import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { usePostgres } from "../kit/use-postgres.ts";
import { orderRounds } from "./order-rounds.ts";

/** `npm run soak` runs all rounds. */
const rounds = process.env.HAFT_SOAK ? 200 : 8;
const world = usePostgres();
const folder = mkdtempSync(join(tmpdir(), "haft-order-keys-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

beforeAll(() => {
  process.env.HAFT_LEDGER_KEY = randomBytes(32).toString("base64");
});

it.each([
  ["SQLite", () => Promise.resolve(`sqlite:${join(folder, "ledger.db")}`)],
  ["PostgreSQL", () => world.migrated()],
] as const)(
  "three processes killed around the payment of one order in %s pay it once",
  {
    timeout: Math.max(180_000, rounds * 30_000),
  },
  async (store, place) => {
    const findings = await orderRounds(await place(), rounds);
    console.log(`raced for ${rounds} orders with ${store}: ${JSON.stringify(findings)}`);
    expect(findings).toMatchObject({ orders: rounds, paidTwice: 0, replayed: 3 * rounds });
    expect(findings.killed).toBeGreaterThanOrEqual(Math.floor(rounds / 2));
    expect(findings.settled).toBe(findings.killed);
  },
);
