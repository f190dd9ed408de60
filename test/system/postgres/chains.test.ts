import pg from "pg";
import { describe, expect, it } from "vitest";
import { chainOf, chainStart, hashRow } from "../../../src/ledger/durable/chain/signed-row.ts";
import {
  createDurableLedger,
  type DurableLedgerOptions,
} from "../../../src/ledger/durable/durable-ledger.ts";
import type { DurableLedger } from "../../../src/types/durable-ledger.ts";
import {
  createApprovalRecord,
  createClosing,
  createKeyClaim,
  createOpening,
  openPendingEntry,
  runLedgerEffect,
  runToLedgerError,
} from "../../contracts/ledger/ledger-fixtures.ts";
import { testMasking } from "../../kit/use-sqlite-folder.ts";
import { waitFor } from "../../kit/wait-for.ts";
import { usePostgres } from "../kit/use-postgres.ts";

const world = usePostgres();
const key = new Uint8Array(32).fill(7);
const far = Date.now() + 1_000_000;

const ledgerAt = async (url: string, options: Partial<DurableLedgerOptions> = {}): Promise<DurableLedger> =>
  createDurableLedger(await world.open(url), {
    redactor: testMasking,
    place: "postgres",
    keys: [key],
    times: { lookMs: 0 },
    ...options,
  });

const tamper = async (url: string, sql: string): Promise<readonly Readonly<Record<string, unknown>>[]> => {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query("SET session_replication_role = replica");
  const { rows } = await client.query(sql);
  await client.end();
  return rows;
};

const pair = async (ledger: DurableLedger, id: string, at = 1_000): Promise<void> => {
  await runLedgerEffect(ledger.open(createOpening(id, { at })));
  await runLedgerEffect(ledger.close(createClosing(id)));
};

const chainsOf = async (ledger: DurableLedger) =>
  (await runLedgerEffect(ledger.rows())).map(({ seq }) => chainOf(seq));

describe("chain per writer", () => {
  it("is one for a single writer and another for a second, and both verify", async () => {
    const url = await world.migrated();
    const first = await ledgerAt(url);
    await pair(first, "1");
    const second = await ledgerAt(url);
    await Promise.all([pair(first, "2", 3_000), pair(second, "3", 2_000)]);
    expect(new Set(await chainsOf(first))).toEqual(new Set([0, 1]));
    const found = await runLedgerEffect(second.verify());
    expect(found).toMatchObject({ ok: true, rows: 6 });
    expect(found.heads.map(({ seq }) => chainOf(seq))).toEqual([0, 1]);
    // Sorted by opening time, independent of their chain.
    expect((await runLedgerEffect(first.entries())).map(({ entryId }) => entryId)).toEqual(["1", "3", "2"]);
  });

  it("is continued by the next writer after its writer ended", async () => {
    const url = await world.migrated();
    const first = await ledgerAt(url);
    const second = await ledgerAt(url);
    await pair(first, "1");
    await pair(second, "2");
    await first.end();
    const third = await ledgerAt(url);
    await pair(third, "3");
    expect(await chainsOf(third)).toEqual([0, 0, 0, 0, 1, 1]);
    expect(await runLedgerEffect(third.verify())).toMatchObject({ ok: true, rows: 6 });
  });

  it("is replaced by a new one for a writer whose lease expired", async () => {
    const url = await world.migrated();
    const silent = await ledgerAt(url, { times: { leaseMs: 1, beatMs: 1_000_000_000 } });
    await runLedgerEffect(silent.open(createOpening("1")));
    const next = await ledgerAt(url, { times: { lookMs: 0, returnMs: 0 } });
    await waitFor(async () =>
      expect((await runLedgerEffect(next.entries({ entryId: "1" })))[0]?.ending).toBe("unknown"),
    );
    const third = await ledgerAt(url);
    await pair(third, "2");
    await pair(silent, "3");
    expect(await runToLedgerError(silent.close(createClosing("1")))).toBeDefined();
    expect(await runLedgerEffect(third.verify())).toMatchObject({ ok: true });
    const chains = await chainsOf(third);
    expect(new Set(chains).size).toBe(3);
  });

  it("does not wait for a transaction of another writer", async () => {
    const url = await world.migrated();
    const [first, second] = [await world.open(url), await ledgerAt(url)];
    let isOver = false;
    const writing = first
      .write(function* () {
        yield { sql: "SELECT pg_sleep(5)", values: [] };
      })
      .finally(() => {
        isOver = true;
      });
    await pair(second, "1");
    expect(isOver).toBe(false);
    await writing;
  });

  it("grants a key to one of twenty concurrent claims", async () => {
    const url = await world.migrated();
    const ledgers = await Promise.all(Array.from({ length: 5 }, () => ledgerAt(url)));
    const kinds = await Promise.all(
      Array.from({ length: 20 }, async (_, i) => {
        const ledger = ledgers[i % 5]!;
        await runLedgerEffect(ledger.open(createOpening(String(i))));
        return (await runLedgerEffect(ledger.reserve(createKeyClaim("k", String(i))))).kind;
      }),
    );
    expect(kinds.toSorted()).toEqual(["fresh", ...Array(19).fill("known")]);
    expect(await runLedgerEffect(ledgers[0]!.verify())).toMatchObject({ ok: true });
  });

  it("grants a run to one of five concurrent claims", async () => {
    const url = await world.migrated();
    const ledgers = await Promise.all(Array.from({ length: 5 }, () => ledgerAt(url)));
    const { runs } = ledgers[0]!;
    const epoch = await runLedgerEffect(
      runs.begin({ runId: "r", agent: "a", principal: undefined, messages: [], at: 1_000 }),
    );
    await runLedgerEffect(runs.end({ runId: "r", epoch, status: "pending", at: 2_000 }));
    const epochs = await Promise.all(ledgers.map((ledger) => runLedgerEffect(ledger.runs.claim("r", 3_000))));
    expect(epochs.filter((each) => each !== undefined)).toEqual([2]);
    expect(await runLedgerEffect(ledgers[1]!.verify())).toMatchObject({ ok: true });
  });
});

describe("call with rows in several chains", () => {
  const spread = async () => {
    const url = await world.migrated();
    const asking = await ledgerAt(url);
    const answering = await ledgerAt(url);
    const taking = await ledgerAt(url);
    await pair(answering, "other");
    await openPendingEntry(asking, createApprovalRecord("a", "1"));
    await runLedgerEffect(answering.approvals.answer("a", { decision: { kind: "allow" }, at: 2_000 }));
    expect(await runLedgerEffect(taking.approvals.take("a", 3_000))).toMatchObject({ kind: "taken" });
    await runLedgerEffect(taking.close(createClosing("1")));
    return { url, asking, answering, taking };
  };

  it("requested, approved and executed in three chains is read in order and verifies", async () => {
    const { asking, answering } = await spread();
    const rows = await runLedgerEffect(asking.rows({ entryId: "1" }));
    expect(new Set(rows.map(({ chain }) => chain)).size).toBe(3);
    expect(rows.map(({ kind }) => kind).toSorted()).toEqual(
      ["opened", "asked", "closed", "answered", "used", "closed"].toSorted(),
    );
    expect(await runLedgerEffect(answering.approvals.find("a"))).toMatchObject({ status: "used" });
    expect(await runLedgerEffect(asking.verify())).toMatchObject({ ok: true });
  });

  it("cannot be reset to an earlier state of one chain", async () => {
    const { url, asking } = await spread();
    const [pending] = (await runLedgerEffect(asking.rows({ entryId: "1" }))).filter(
      ({ kind }) => kind === "closed",
    );
    await tamper(
      url,
      `UPDATE haft_entries SET ending = 'pending', close_seq = ${pending!.seq}, last_seq = ${pending!.seq},
         closed_at = ${pending!.at}, elsewhere = NULL WHERE entry_id = '1'`,
    );
    const { ok, broken } = await runLedgerEffect(asking.verify());
    expect(ok).toBe(false);
    expect(broken?.why).toContain("has no record");
  });

  it("is pruned from all chains, without rows that others need", async () => {
    const { asking, answering } = await spread();
    await runLedgerEffect(asking.open(createOpening("under way")));
    await runLedgerEffect(answering.prune(far));
    expect(await runLedgerEffect(asking.verify())).toMatchObject({ ok: true });
    expect((await runLedgerEffect(asking.entries())).map(({ entryId }) => entryId)).toEqual(["under way"]);
    expect(await runLedgerEffect(answering.approvals.list())).toEqual([]);
  });

  it("keeps its rows in other chains until its own can be pruned", async () => {
    const url = await world.migrated();
    const [first, second] = [await ledgerAt(url), await ledgerAt(url)];
    // Pending in the first chain, before the entry that another store closed.
    await openPendingEntry(first, createApprovalRecord("waits", "0"));
    await openPendingEntry(first, createApprovalRecord("a", "1"));
    await pair(second, "2");
    await runLedgerEffect(second.approvals.answer("a", { decision: { kind: "allow" }, at: 2_000 }));
    await runLedgerEffect(second.approvals.take("a", 3_000));
    await runLedgerEffect(second.close(createClosing("1")));
    await pair(second, "3");
    await runLedgerEffect(first.prune(far));
    expect(await runLedgerEffect(first.verify())).toMatchObject({ ok: true });
    expect((await runLedgerEffect(first.recall("1")))?.entry).toMatchObject({ ending: "executed" });
    expect((await runLedgerEffect(first.entries())).map(({ entryId }) => entryId).toSorted()).toEqual([
      "0",
      "1",
      "3",
    ]);
  });
});

describe("forged chain", () => {
  it("without MACs next to a chain with MACs is rejected, and its run is not resumed", async () => {
    const url = await world.migrated();
    const ledger = await ledgerAt(url);
    await pair(ledger, "1");
    const at = 1_000;
    const body = '{"agent":"a","epoch":1,"given":0,"principal":{"agent":"root"},"status":"running"}';
    const [chain, seq, prev] = [9, chainStart(9) + 1, "0".repeat(64)];
    const row = {
      chain,
      seq,
      prev,
      at,
      kind: "run-began",
      entryId: null,
      runId: "forged",
      body,
      keyId: null,
    };
    await tamper(
      url,
      `INSERT INTO haft_records (chain, seq, prev, at, kind, run_id, body, hash)
         VALUES (${chain}, ${seq}, '${prev}', ${at}, 'run-began', 'forged', '${body}', '${hashRow(prev, row)}');
       INSERT INTO haft_anchor (chain, seq, hash) VALUES (${chain}, ${seq - 1}, '${prev}');
       INSERT INTO haft_runs (run_id, agent, principal, status, turns, usage, started_at, updated_at, given, messages,
         began_seq, last_seq, recorded) VALUES ('forged', 'a', '{"agent":"root"}', 'running', 0,
         '{"inputTokens":0,"outputTokens":0}', ${at}, ${at}, 0, 0, ${seq}, ${seq}, 0)`,
    );
    expect(await runToLedgerError(ledger.runs.find("forged"))).toMatchObject({ code: "ledger_unavailable" });
    const found = await runLedgerEffect(ledger.verify());
    expect(found).toMatchObject({ ok: false });
    expect(found.unproved).toContain("no row has a MAC");
  });
});
