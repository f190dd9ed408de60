import { randomBytes } from "node:crypto";
import pg from "pg";
import { afterEach, describe, expect, it } from "vitest";
import { durableLedgerContract } from "../../../test/contracts/ledger/durable-contract.ts";
import { asked, claim, ledgerSecret, opening, run, wait } from "../../../test/contracts/ledger/rows.ts";
import { ledgerContract } from "../../../test/contracts/ledger-contract.ts";
import { postgresWorld, upTo } from "../../../test/kit/postgres-world.ts";
import { redactor } from "../../json/redact.ts";
import type { DurableLedger } from "../../words/durable-ledger.ts";
import { openDurableLedger } from "../open-ledger.ts";

const world = postgresWorld();
let stores: DurableLedger[] = [];
afterEach(async () => {
  await Promise.all(stores.map((store) => store.end()));
  stores = [];
});

const masking = redactor({ secrets: () => [ledgerSecret] });
const key = randomBytes(32).toString("hex");
const openStore = async (url: string, readOnly = false): Promise<DurableLedger> => {
  const store = await openDurableLedger(url, { key, redactor: masking, readOnly });
  stores.push(store);
  return store;
};

const tamper = async (url: string, sql: string): Promise<void> => {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(`DROP TRIGGER IF EXISTS haft_records_fixed ON haft_records; ${sql}`);
  await client.end();
};

ledgerContract("PostgreSQL", async () => openStore(await world.migrated()));

durableLedgerContract("PostgreSQL", async () => {
  const url = await world.migrated();
  return {
    ledger: await openStore(url),
    another: () => openStore(url),
    reading: () => openStore(url, true),
    tamper: (sql) => tamper(url, sql),
  };
});

it("PostgreSQL refuses to change rows, and to delete them anywhere but at the beginning", async () => {
  const url = await world.freshSchema();
  await run((await openStore(url)).approvals.refuse("nobody", undefined, 1_000));
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

it("PostgreSQL is read by whoever may only read, and a schema without a ledger is named", async () => {
  const url = await world.freshSchema();
  const schema = new URL(url).searchParams.get("options")?.split("=").at(-1);
  const reader = new URL(url);
  reader.username = "onlooker";
  await world.server.query("CREATE ROLE onlooker LOGIN PASSWORD 'kit-password'");
  await world.server.query(`GRANT USAGE ON SCHEMA ${schema} TO onlooker`);
  await expect(openStore(reader.href, true)).rejects.toThrow("haft ledger migrate");
  const store = await openStore(url);
  await wait(store, asked("a", "1"));
  await world.server.query(`GRANT SELECT ON ALL TABLES IN SCHEMA ${schema} TO onlooker`);
  const reading = await openStore(reader.href, true);
  expect(await run(reading.entries())).toMatchObject([{ entryId: "1", ending: "pending" }]);
  expect(await run(reading.approvals.find("a"))).toMatchObject({ status: "waiting" });
  expect(await run(reading.verify())).toMatchObject({ ok: true });
});

describe("two stores on one PostgreSQL", () => {
  it("that answer and take the same approval at once have one winner each, 50 times", async () => {
    const url = await world.freshSchema();
    const [first, second] = await Promise.all([openStore(url), openStore(url)]);
    for (const round of upTo(50)) {
      const id = `approval-${round}`;
      await wait(first, asked(id, `entry-${round}`));
      const answers = await Promise.all(
        [first, second].map(({ approvals }, who) =>
          run(approvals.answer(id, { decision: { kind: "allow" }, by: `person ${who}`, at: 2_000 })),
        ),
      );
      expect(answers.toSorted()).toEqual(["already", "answered"]);
      const takes = await Promise.all(
        [first, second, first, second].map(({ approvals }) => run(approvals.take(id, 3_000))),
      );
      expect(takes.map(({ kind }) => kind).toSorted()).toEqual(["taken", "used", "used", "used"]);
    }
    expect(await run(second.verify())).toMatchObject({ ok: true });
  });

  it("that reserve the same key at once open it once, 50 times", async () => {
    const url = await world.freshSchema();
    const [first, second] = await Promise.all([openStore(url), openStore(url)]);
    for (const round of upTo(50)) {
      const found = await Promise.all(
        [first, second].map(async (store, who) => {
          const entryId = `entry-${round}-${who}`;
          await run(store.open(opening(entryId)));
          return run(store.reserve(claim(`key-${round}`, entryId)));
        }),
      );
      expect(found.map(({ kind }) => kind).toSorted()).toEqual(["fresh", "known"]);
    }
    expect(await run(first.verify())).toMatchObject({ ok: true, rows: 150 });
  });
});
