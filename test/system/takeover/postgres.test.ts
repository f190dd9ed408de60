import { randomBytes } from "node:crypto";
import { beforeAll, expect, it } from "vitest";
import { cuttingProxy } from "../kit/cutting-proxy.ts";
import { type PostgresTestServer, sharedTestServer } from "../kit/postgres-test-server.ts";
import { brokenIn, campaign, provenPart, toTable } from "./campaign.ts";
import type { Fault, FaultyPlace } from "./takeover.ts";

const limitMs = 3_600_000;
const isSoak = process.env.HAFT_SOAK !== undefined;
const shortLease = { leaseMs: 1_500, beatMs: 200, lookMs: 0 };
let postgres: PostgresTestServer & { readonly prefix: string };
let databases = 0;

beforeAll(async () => {
  process.env.HAFT_LEDGER_KEY = randomBytes(32).toString("base64");
  postgres = await sharedTestServer();
});

const faults: readonly Fault[] = [
  {
    name: "stopped",
    times: shortLease,
    begin: (a) => a.signal("SIGSTOP"),
    end: (a) => a.signal("SIGCONT"),
  },
  {
    name: "backend terminated",
    // Longer than the takeover: the lost sessions are enough to detect the failure.
    times: { leaseMs: 60_000, beatMs: 200, returnMs: 500, lookMs: 0 },
    begin: (_, { terminate }) => terminate?.(),
    end: (_, { holdBack }) => holdBack?.(false),
  },
  {
    name: "black hole",
    times: shortLease,
    begin: (_, { holdBack }) => holdBack?.(true),
    end: (_, { holdBack }) => holdBack?.(false),
  },
];

/** Around the expiry of the lease. */
const races: readonly Fault[] = [0, 2].map((at) => ({
  ...faults[at]!,
  name: `${faults[at]!.name} until its lease is nearly over`,
  returnsWithinMs: [1_100, 2_200],
}));

/** A separate database, which `a` reaches through a proxy. */
const place = async (): Promise<FaultyPlace> => {
  const name = `${postgres.prefix}_${++databases}`;
  const forB = await postgres.createDatabase(name);
  const url = new URL(forB);
  const proxy = await cuttingProxy(Number(url.port));
  url.port = String(proxy.port);
  url.searchParams.set("application_name", `${name}-a`);
  return {
    forA: url.href,
    forB,
    holdBack: proxy.holdBack,
    terminate: async () => {
      proxy.holdBack(true);
      const sql = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = $1";
      await postgres.query(sql, [`${name}-a`]);
      proxy.cutAll();
    },
    [Symbol.asyncDispose]: async () => {
      await proxy[Symbol.asyncDispose]();
      await postgres.query(`DROP DATABASE ${name} WITH (FORCE)`);
    },
  };
};

it("a run taken over during a call by another process ends or is pending without repeated effects, in PostgreSQL", {
  timeout: limitMs,
}, async () => {
  const takeovers = isSoak ? 100 : 6;
  const findings = await campaign({ seed: 16_112_028, faults, takeovers, concurrency: 3, place });
  console.log(`${findings.length} takeovers with PostgreSQL\n${toTable(findings)}`);
  expect(brokenIn(findings)).toEqual([]);
  expect(provenPart(findings)).toBeGreaterThanOrEqual(0.9);
});

it("a process that returns during a takeover in PostgreSQL keeps or loses its run without repeated effects", {
  timeout: limitMs,
}, async () => {
  const takeovers = isSoak ? 40 : 2;
  const findings = await campaign({ seed: 16_112_029, faults: races, takeovers, concurrency: 3, place });
  console.log(`${findings.length} races with PostgreSQL\n${toTable(findings)}`);
  expect(brokenIn(findings)).toEqual([]);
});
