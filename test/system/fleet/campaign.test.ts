import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type PostgresServer, startPostgres } from "../kit/start-postgres.ts";
import { type Campaign, campaign } from "./campaign.ts";

const isSoak = process.env.HAFT_SOAK !== undefined;
const size: Pick<Campaign, "workers" | "concurrency" | "runs" | "disturbances" | "restarts" | "everyMs"> =
  isSoak
    ? { workers: 8, concurrency: 16, runs: 5_000, disturbances: 300, restarts: 2, everyMs: 1_200 }
    : { workers: 4, concurrency: 8, runs: 180, disturbances: 18, restarts: 1, everyMs: 800 };
const withinMs = isSoak ? 1_500_000 : 180_000;
let postgres: PostgresServer;

beforeAll(async () => {
  process.env.HAFT_LEDGER_KEY = randomBytes(32).toString("base64");
  postgres = await startPostgres(["max_connections=200"]);
});

afterAll(() => postgres?.stop());

it("a fleet with killed, stopped and disconnected workers repeats no effect, loses no run, and keeps a valid chain", {
  timeout: withinMs + 120_000,
}, async () => {
  const findings = await campaign({ ...size, seed: 18_112_026, withinMs, postgres, name: "fleet_campaign" });
  const { twice, lost, complaints, ...reported } = findings;
  console.log(`a fleet under disturbance: ${JSON.stringify(reported)}`);
  expect({ twice, lost, isWhole: findings.isWhole, complaints }).toEqual({
    twice: [],
    lost: [],
    isWhole: true,
    complaints: "",
  });
  expect(findings.done).toBeGreaterThan(size.runs * 0.9);
});
