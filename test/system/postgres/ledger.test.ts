import pg from "pg";
import { describe, expect, it } from "vitest";
import {
  createApprovalRecord,
  createKeyClaim,
  createOpening,
  openPendingEntry,
  runLedgerEffect,
} from "../../contracts/ledger/ledger-fixtures.ts";
import { ledgerContract } from "../../contracts/ledger-contract.ts";
import { usePostgresStores } from "../kit/postgres-stores.ts";
import { queryAt } from "../kit/postgres-test-server.ts";
import { numbersUpTo, usePostgres } from "../kit/use-postgres.ts";

const world = usePostgres();
const { openStore } = usePostgresStores(world);

ledgerContract("PostgreSQL", async () => openStore(await world.migrated()));

it("PostgreSQL refuses to change rows, and to delete them except from the beginning", async () => {
  const url = await world.freshSchema();
  await runLedgerEffect((await openStore(url)).approvals.refuse("nobody", undefined, 1_000));
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    for (const sql of ["UPDATE haft_records SET at = 0", "DELETE FROM haft_records"]) {
      await expect(client.query(sql)).rejects.toThrow("rows of the ledger do not change");
    }
  } finally {
    await client.end();
  }
});

it("a read-only role can read the ledger, and a schema without a ledger is reported", async () => {
  const url = await world.freshSchema();
  const schema = new URL(url).searchParams.get("options")?.split("=").at(-1);
  const reader = new URL(url);
  reader.username = "onlooker";
  await queryAt(url, "CREATE ROLE onlooker LOGIN PASSWORD 'kit-password'");
  await queryAt(url, `GRANT USAGE ON SCHEMA ${schema} TO onlooker`);
  await expect(openStore(reader.href, true)).rejects.toThrow("haft ledger migrate");
  const store = await openStore(url);
  await openPendingEntry(store, createApprovalRecord("a", "1"));
  await queryAt(url, `GRANT SELECT ON ALL TABLES IN SCHEMA ${schema} TO onlooker`);
  const reading = await openStore(reader.href, true);
  expect(await runLedgerEffect(reading.entries())).toMatchObject([{ entryId: "1", ending: "pending" }]);
  expect(await runLedgerEffect(reading.approvals.find("a"))).toMatchObject({ status: "waiting" });
  expect(await runLedgerEffect(reading.verify())).toMatchObject({ ok: true });
});

describe("two stores on one PostgreSQL", () => {
  it("that answer and take one approval at the same time have one winner each, 50 times", async () => {
    const url = await world.freshSchema();
    const [first, second] = await Promise.all([openStore(url), openStore(url)]);
    for (const round of numbersUpTo(50)) {
      const id = `approval-${round}`;
      await openPendingEntry(first, createApprovalRecord(id, `entry-${round}`));
      const answers = await Promise.all(
        [first, second].map(({ approvals }, who) =>
          runLedgerEffect(
            approvals.answer(id, { decision: { kind: "allow" }, by: `person ${who}`, at: 2_000 }),
          ),
        ),
      );
      expect(answers.toSorted()).toEqual(["already", "answered"]);
      const takes = await Promise.all(
        [first, second, first, second].map(({ approvals }) => runLedgerEffect(approvals.take(id, 3_000))),
      );
      expect(takes.map(({ kind }) => kind).toSorted()).toEqual(["taken", "used", "used", "used"]);
    }
    expect(await runLedgerEffect(second.verify())).toMatchObject({ ok: true });
  });

  it("that reserve one key at the same time open it once, 50 times", async () => {
    const url = await world.freshSchema();
    const [first, second] = await Promise.all([openStore(url), openStore(url)]);
    for (const round of numbersUpTo(50)) {
      const found = await Promise.all(
        [first, second].map(async (store, who) => {
          const entryId = `entry-${round}-${who}`;
          await runLedgerEffect(store.open(createOpening(entryId)));
          return runLedgerEffect(store.reserve(createKeyClaim(`key-${round}`, entryId)));
        }),
      );
      expect(found.map(({ kind }) => kind).toSorted()).toEqual(["fresh", "known"]);
    }
    expect(await runLedgerEffect(first.verify())).toMatchObject({ ok: true, rows: 150 });
  });
});
