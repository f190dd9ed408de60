import pg from "pg";
import { expect, it, vi } from "vitest";
import type { Database } from "../../../src/ledger/durable/database.ts";
import {
  createDurableLedger,
  type DurableLedgerOptions,
} from "../../../src/ledger/durable/durable-ledger.ts";
import type { DurableLedger } from "../../../src/types/durable-ledger.ts";
import {
  createApprovalRecord,
  openPendingEntry,
  runLedgerEffect,
  runToLedgerError,
} from "../../contracts/ledger/ledger-fixtures.ts";
import { createClosing, createOpening } from "../../contracts/ledger-contract.ts";
import { testMasking } from "../../kit/use-sqlite-folder.ts";
import { waitFor } from "../../kit/wait-for.ts";
import { numbersUpTo, singleStatement, useOwnPostgres } from "../kit/use-postgres.ts";

const world = useOwnPostgres();
const never = 1_000_000_000;
const begin = { runId: "r", agent: "a", principal: undefined, messages: [], at: 1_000 };

const ledgerAt = async (
  url: string,
  options: Partial<DurableLedgerOptions> = {},
): Promise<{ readonly ledger: DurableLedger; readonly database: Database }> => {
  const database = await world.open(url);
  const ledger = await createDurableLedger(database, {
    redactor: testMasking,
    place: "postgres",
    ...options,
  });
  return { ledger, database };
};

/** Waits until the server has been up long enough for leases to expire. */
const settled = (database: Database) =>
  waitFor(async () => expect(await database.findGone?.(["nobody"])).toEqual(["nobody"]));

it("a worker without heartbeats loses its run when its lease expires, and can no longer write", async () => {
  const url = await world.fresh();
  // Its connections stay open for the server, but its heartbeats have stopped.
  const { ledger: silent } = await ledgerAt(url, { times: { leaseMs: 1_000, beatMs: never } });
  await runLedgerEffect(silent.runs.begin(begin));
  await runLedgerEffect(silent.open(createOpening("1", { runId: "r", epoch: 1 })));
  const { ledger: next } = await ledgerAt(url, { times: { lookMs: 0 } });
  await waitFor(async () => expect(await runLedgerEffect(next.runs.claim("r", 2_000))).toBe(3));
  expect(await runLedgerEffect(next.entries())).toMatchObject([{ entryId: "1", ending: "unknown" }]);
  expect(await runToLedgerError(silent.close(createClosing("1", { epoch: 1 })))).toMatchObject({
    code: "claim_lost",
  });
  expect(await runToLedgerError(silent.open(createOpening("2", { runId: "r", epoch: 1 })))).toMatchObject({
    code: "claim_lost",
  });
  expect(await runLedgerEffect(next.verify())).toMatchObject({ ok: true });
});

it("heartbeats renew the lease, and the run is kept", async () => {
  const url = await world.fresh();
  const { ledger, database } = await ledgerAt(url, { times: { beatMs: 50 } });
  await runLedgerEffect(ledger.runs.begin(begin));
  const lease = async () =>
    Number(
      (await database.read(() => singleStatement("SELECT min(lease_until) AS n FROM haft_owners")))[0]?.n,
    );
  const first = await lease();
  await waitFor(async () => expect(await lease()).toBeGreaterThan(first + 1));
  const { ledger: next } = await ledgerAt(url, { times: { lookMs: 0 } });
  expect(await runLedgerEffect(next.runs.claim("r", 2_000))).toBeUndefined();
});

it("after a shared outage owners have time to renew their leases", async () => {
  const url = await world.fresh();
  const { ledger: late, database } = await ledgerAt(url, { times: { leaseMs: 1, beatMs: never } });
  await runLedgerEffect(late.runs.begin(begin));
  let ms = 0;
  const { ledger: judge } = await ledgerAt(url, { times: { lookMs: 0, monotonic: () => ms } });
  // Opening checked the leases already, and this one had expired.
  const owners = () => database.read(() => singleStatement("SELECT owner FROM haft_owners"));
  await waitFor(async () => expect((await owners()).length).toBe(1));
  const { ledger: later } = await ledgerAt(url, { times: { leaseMs: 1, beatMs: never } });
  await runLedgerEffect(later.runs.begin({ ...begin, runId: "s" }));
  ms += 30_001;
  expect(await runLedgerEffect(judge.runs.claim("s", 2_000))).toBeUndefined();
  // A call sends a heartbeat too.
  await runLedgerEffect(judge.open(createOpening("1")));
  await runLedgerEffect(judge.open(createOpening("2")));
  expect(await runLedgerEffect(judge.runs.claim("s", 2_000))).toBeUndefined();
  ms += 15_000;
  expect(await runLedgerEffect(judge.runs.claim("s", 2_000))).toBe(3);
});

it("a lost claim is reported by the next heartbeat without a write", async () => {
  const url = await world.fresh();
  const { ledger } = await ledgerAt(url, { times: { beatMs: 50 } });
  await runLedgerEffect(ledger.runs.begin(begin));
  let lost = 0;
  ledger.runs.watch("r", () => {
    lost += 1;
  });
  const { ledger: next } = await ledgerAt(url);
  expect(await runLedgerEffect(next.runs.cancel("r", "ada", 2_000))).toBe("given-up");
  await waitFor(() => expect(lost).toBe(1));
});

it.each([
  ["an hour ahead", 3_600_000],
  ["an hour behind", -3_600_000],
])("a process whose clock is %s expires no lease and keeps its own", async (_, skew) => {
  const url = await world.fresh();
  const { ledger: right } = await ledgerAt(url);
  const { ledger: wrong } = await ledgerAt(url, { now: () => Date.now() + skew, times: { lookMs: 0 } });
  await runLedgerEffect(right.runs.begin(begin));
  await runLedgerEffect(wrong.runs.begin({ ...begin, runId: "w" }));
  expect(await runLedgerEffect(wrong.runs.claim("r", 2_000))).toBeUndefined();
  expect(await runLedgerEffect(right.runs.claim("w", 2_000))).toBeUndefined();
});

it("twenty dead owners are found by one query, and opening does not wait for their recovery", async () => {
  const url = await world.fresh();
  const { database } = await ledgerAt(url);
  await database.write(() =>
    singleStatement(`INSERT INTO haft_owners (owner, host, pid, thread, born, heartbeat, beats, lease_until)
      SELECT 'dead-' || n, 'h', 1, 0, '', 0, 1, CASE WHEN n % 2 = 0 THEN 0 ELSE extract(epoch FROM now()) + 3600 END
      FROM generate_series(1, 20) AS s(n)`),
  );
  await settled(database);
  const inner = await world.open(url);
  const seen = { reads: 0 };
  const counted: Database = {
    ...inner,
    read: (script) => {
      seen.reads += 1;
      return inner.read(script);
    },
  };
  const next = await createDurableLedger(counted, { redactor: testMasking, place: "postgres" });
  expect(seen.reads).toBe(1);
  const left = async () =>
    (await database.read(() => singleStatement("SELECT owner FROM haft_owners"))).length;
  // Ten leases had expired. The others only lost their connections, which is checked once more.
  expect(await left()).toBe(12);
  await runLedgerEffect(next.entries());
  expect(await left()).toBe(2);
});

it("a worker that reconnects after it lost its connections keeps its run", async () => {
  const url = await world.fresh();
  const { ledger } = await ledgerAt(url);
  await runLedgerEffect(ledger.runs.begin(begin));
  const { ledger: next, database } = await ledgerAt(url, { times: { lookMs: 0, returnMs: 60_000 } });
  await settled(database);
  await world.server.query(
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'haft'",
  );
  expect(await runLedgerEffect(next.runs.claim("r", 2_000))).toBeUndefined();
  await runLedgerEffect(ledger.runs.end({ runId: "r", epoch: 1, status: "done", at: 3_000 }));
});

it("the presence session of a worker uses TCP keepalives of the server", async () => {
  const queries = vi.spyOn(pg.Client.prototype, "query");
  await ledgerAt(await world.fresh());
  const texts = queries.mock.calls.map(([query]) => String(query));
  vi.restoreAllMocks();
  const lock = texts.findIndex((text) => text.includes("pg_advisory_lock_shared"));
  expect(texts.slice(lock - 3, lock)).toEqual([
    "SET tcp_keepalives_idle = 10",
    "SET tcp_keepalives_interval = 5",
    "SET tcp_keepalives_count = 3",
  ]);
});

it("the expiry of an approval request is judged by the clock of the server", async () => {
  const url = await world.fresh();
  const hour = 3_600_000;
  const minute = 60_000;
  const ahead = () => Date.now() + hour;
  const { ledger: asking } = await ledgerAt(url, { now: ahead });
  const { ledger: right } = await ledgerAt(url);
  const behind = () => Date.now() - hour;
  const { ledger: slow } = await ledgerAt(url, { now: behind });
  for (const n of numbersUpTo(4)) {
    const expiresAt = ahead() + 10 * minute;
    await openPendingEntry(
      asking,
      createApprovalRecord(`a${n}`, `e${n}`, { askedAt: ahead(), expiresAt, runId: `run-${n}` }),
    );
  }
  const allow = { kind: "allow" } as const;
  const answer = (ledger: DurableLedger, id: string, at: number) =>
    runLedgerEffect(ledger.approvals.answer(id, { decision: allow, at }));
  expect(await answer(right, "a0", Date.now() + 9 * minute)).toBe("answered");
  expect(await answer(right, "a1", Date.now() + 11 * minute)).toBe("expired");
  expect(await answer(slow, "a2", behind() + 9 * minute)).toBe("answered");
  expect(await answer(slow, "a3", behind() + 11 * minute)).toBe("expired");
});
