import { readFileSync, rmSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import pg from "pg";
import { afterEach, describe, expect, it } from "vitest";
import { hashText } from "../../../src/base/json/canonical-json.ts";
import { keyIdOf } from "../../../src/ledger/durable/chain/chain-keys.ts";
import { createDurableLedger } from "../../../src/ledger/durable/durable-ledger.ts";
import { toStorableName } from "../../../src/ledger/durable/row-texts.ts";
import { type OpenDurableLedgerOptions, openDurableLedger } from "../../../src/ledger/open-durable-ledger.ts";
import { openSqliteDatabase } from "../../../src/ledger/sqlite-database.ts";
import type { DurableLedger } from "../../../src/types/durable-ledger.ts";
import type { EntryOpening } from "../../../src/types/ledger.ts";
import {
  createKeyClaim,
  createOpening,
  ledgerSecret,
  runLedgerEffect,
} from "../../contracts/ledger/ledger-fixtures.ts";
import { testMasking, useSqliteFolder } from "../../kit/use-sqlite-folder.ts";
import { usePostgres } from "../kit/use-postgres.ts";

/** The key that sealed the fixture. */
const key = "01".repeat(32);
const keyId = keyIdOf(Buffer.from(key, "hex"));
/** Its first two rows were pruned; these are the remaining ones. */
const rows = 15;
const first = 3;

const fixture = (dialect: "sqlite" | "postgres"): string =>
  readFileSync(new URL(`../../fixtures/ledger-0.1.0.${dialect}.sql`, import.meta.url), "utf8");

const lastHash = "f6f533c5cb931b1b296a0a82f1f688fabe0f0d9cd83d355c62edd97ec7d12516";

const sqlText = (text: string): string => `'${text.replaceAll("'", "''")}'`;

/** One more call as 0.1.0 recorded and chained it. */
const openedBefore = (
  seq: number,
  prev: string,
  entryId: string,
  { agent = "tester", input, session }: Partial<EntryOpening>,
): { readonly sql: string; readonly hash: string } => {
  const callId = `call-${entryId}`;
  const body = JSON.stringify({ agent, callId, input, isExact: true, session, tool: "work" });
  const hash = hashText(
    `${prev}\n{"at":1000,"body":${body},"entryId":"${entryId}","kind":"opened","runId":"run-1","seq":${seq}}`,
  );
  const sql = `INSERT INTO haft_records (seq, at, kind, entry_id, run_id, body, hash)
      VALUES (${seq}, 1000, 'opened', '${entryId}', 'run-1', ${sqlText(body)}, '${hash}');
    INSERT INTO haft_entries (open_seq, entry_id, call_id, run_id, tool, agent, at, ending, owner, last_seq, in_run,
      keyed, payloads) VALUES (${seq}, '${entryId}', '${callId}', 'run-1', 'work', ${sqlText(toStorableName(agent))}, 1000,
      'open', 'nobody', ${seq}, 0, 0, 0)`;
  return { sql, hash };
};

type Open = (options: Partial<OpenDurableLedgerOptions>) => Promise<DurableLedger>;

interface OldPlace {
  readonly open: Open;
  readonly change: (sql: string) => Promise<void>;
  readonly tamper: (sql: string) => Promise<void>;
}

const migrationContract = (name: string, make: () => Promise<OldPlace>): void => {
  describe(`a ledger of 0.1.0 in ${name}`, () => {
    it("verifies with the key, and its first row with a MAC covers the rows without one", async () => {
      const { open, tamper } = await make();
      const ledger = await open({ key });
      const last = first + rows;
      expect(await runLedgerEffect(ledger.verify())).toMatchObject({
        ok: true,
        rows: rows + 1,
        unkeyed: { rows, from: first, to: last - 1 },
        keys: [{ keyId, isHere: true, rows: 1, from: last, to: last }],
      });
      expect(await runLedgerEffect(ledger.rows({ after: last - 1 }))).toMatchObject([
        { kind: "keys-on", body: { unkeyed: last - 1 } },
      ]);
      await tamper("UPDATE haft_records SET body = replace(body, 'eve', 'bob') WHERE kind = 'answered'");
      expect(await runLedgerEffect(ledger.verify())).toMatchObject({
        ok: false,
        broken: { why: expect.stringContaining("hash") },
      });
    });

    it("verifies without a key, and reports that no row has a MAC", async () => {
      const { open } = await make();
      const ledger = await open({});
      const found = await runLedgerEffect(ledger.verify());
      expect(found).toMatchObject({ rows, unkeyed: { rows, from: first, to: first + rows - 1 }, keys: [] });
      expect(found.broken).toBeUndefined();
    });

    it("returns its entries, approvals, runs, keys and sealed texts", async () => {
      const { open } = await make();
      const ledger = await open({ key });
      expect(
        (await runLedgerEffect(ledger.entries())).map(({ entryId, ending }) => [entryId, ending]),
      ).toEqual([
        ["executed", "executed"],
        ["keyed", "executed"],
        ["waits", "pending"],
        ["waits too", "pending"],
      ]);
      expect((await runLedgerEffect(ledger.recall("keyed")))?.result).toBe(`{"note":"${ledgerSecret}"}`);
      expect((await runLedgerEffect(ledger.approvals.list())).map(({ id, status }) => [id, status])).toEqual([
        ["answered", "answered"],
        ["asked", "waiting"],
      ]);
      expect(await runLedgerEffect(ledger.runs.find("r"))).toMatchObject({
        status: "pending",
        messages: [{ role: "user", content: "hello" }],
      });
      await runLedgerEffect(ledger.open(createOpening("again")));
      expect(await runLedgerEffect(ledger.reserve(createKeyClaim("k", "again")))).toMatchObject({
        kind: "known",
        entryId: "keyed",
      });
    });

    it("continues: a request is answered and taken, a run is claimed, and the chain verifies", async () => {
      const { open } = await make();
      const ledger = await open({ key });
      await runLedgerEffect(ledger.approvals.answer("asked", { decision: { kind: "deny" }, at: 5_000 }));
      expect(await runLedgerEffect(ledger.approvals.take("asked", 5_000))).toMatchObject({ kind: "taken" });
      expect(await runLedgerEffect(ledger.runs.claim("r", 5_000))).toBe(2);
      expect(await runLedgerEffect(ledger.verify())).toMatchObject({ ok: true });
    });

    it("with a key shows an answer without a MAC and does not apply it", async () => {
      const { open } = await make();
      const ledger = await open({ key });
      expect(await runLedgerEffect(ledger.approvals.find("answered"))).toMatchObject({ status: "answered" });
      expect(await runLedgerEffect(ledger.approvals.take("answered", 5_000))).toEqual({ kind: "void" });
      expect((await runLedgerEffect(ledger.rows({ entryId: "waits" }))).at(-1)).toMatchObject({
        kind: "annulled",
        body: { why: expect.stringContaining("no MAC") },
      });
      expect(await runLedgerEffect(ledger.verify())).toMatchObject({ ok: true });
    });

    it("without a key applies answers without a MAC", async () => {
      const { open } = await make();
      const ledger = await open({});
      expect(await runLedgerEffect(ledger.approvals.take("asked", 5_000))).toEqual({ kind: "waiting" });
      await runLedgerEffect(ledger.approvals.answer("asked", { decision: { kind: "allow" }, at: 5_000 }));
      expect(await runLedgerEffect(ledger.approvals.take("asked", 5_000))).toMatchObject({ kind: "taken" });
    });

    it("finds calls by their session in unusual rows, and verifies", async () => {
      const { open, change } = await make();
      const session = "chat \u2028😀'\"";
      const named = [
        ["of it", { session, input: "no JSON: \u0000 \ud800" }],
        ["of none", { input: '{"session":"chat"}' }],
        ["of another", { session: "chat", agent: "te\0st\ud800er" }],
      ] as const;
      let prev = lastHash;
      for (const [i, [id, more]] of named.entries()) {
        const { sql, hash } = openedBefore(first + rows + i, prev, id, more);
        await change(sql);
        prev = hash;
      }
      const ledger = await open({ key });
      const found = async (name: string) =>
        (await runLedgerEffect(ledger.entries({ session: name }))).map(({ entryId }) => entryId);
      expect([await found(session), await found("chat")]).toEqual([["of it"], ["of another"]]);
      expect(await runLedgerEffect(ledger.verify())).toMatchObject({ ok: true });
      await change("UPDATE haft_entries SET session = NULL WHERE entry_id = 'of it'");
      expect(await runLedgerEffect(ledger.verify())).toMatchObject({
        ok: false,
        broken: { seq: first + rows },
      });
    });

    it("is migrated once", async () => {
      const { open } = await make();
      await (await open({ key })).end();
      const again = await open({ key });
      expect(await runLedgerEffect(again.verify())).toMatchObject({ ok: true, rows: rows + 1 });
    });

    it("is pruned across the first row with a MAC", async () => {
      const { open } = await make();
      const ledger = await open({ key });
      for (const id of ["answered", "asked"])
        await runLedgerEffect(ledger.approvals.annul(id, "it is over", 5_000));
      await runLedgerEffect(ledger.close({ ...over, entryId: "waits" }));
      await runLedgerEffect(ledger.close({ ...over, entryId: "waits too" }));
      const epoch = (await runLedgerEffect(ledger.runs.claim("r", 5_000))) ?? 0;
      await runLedgerEffect(ledger.runs.end({ runId: "r", epoch, status: "done", at: 5_000 }));
      expect(await runLedgerEffect(ledger.prune(Date.now() + 1_000_000))).toMatchObject({
        entries: 4,
        isComplete: true,
      });
      expect(await runLedgerEffect(ledger.verify())).toMatchObject({ ok: true, rows: 1 });
    });
  });
};

const over = {
  ending: "failed",
  tool: "work",
  code: "cancelled",
  message: undefined,
  decision: undefined,
  flow: undefined,
  result: undefined,
  original: undefined,
  notes: [],
  durationMs: 1,
} as const;

const { fresh, open: openSqlite } = useSqliteFolder();
let opened: DurableLedger[] = [];
afterEach(async () => {
  for (const ledger of opened) await ledger.end();
  opened = [];
});

migrationContract("SQLite", async () => {
  const path = fresh();
  await (await openSqlite(path)).end();
  for (const end of ["", ".key", "-wal", "-shm"]) rmSync(`${path}${end}`, { force: true });
  const change = (sql: string): void => {
    const database = new DatabaseSync(path, { timeout: 1_000 });
    database.exec(sql);
    database.close();
  };
  change(fixture("sqlite"));
  const open: Open = async (options) => {
    if (options.key !== undefined) return openSqlite(path, options);
    const ledger = await createDurableLedger(openSqliteDatabase({ path }), {
      redactor: testMasking,
      place: path,
    });
    opened.push(ledger);
    return ledger;
  };
  return {
    open,
    change: async (sql) => change(sql),
    tamper: async (sql) => change(`DROP TRIGGER haft_records_fixed; DROP TRIGGER haft_records_kept; ${sql}`),
  };
});

const world = usePostgres();
migrationContract("PostgreSQL", async () => {
  const url = await world.freshSchema();
  const change = async (sql: string): Promise<void> => {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    await client.query(sql);
    await client.end();
  };
  await change(fixture("postgres"));
  return {
    open: async (options) => {
      const ledger = await openDurableLedger(url, { redactor: testMasking, ...options });
      opened.push(ledger);
      return ledger;
    },
    change,
    tamper: (sql) => change(`DROP TRIGGER haft_records_fixed ON haft_records; ${sql}`),
  };
});
