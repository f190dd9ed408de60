import pg from "pg";
import { describe, expect, it } from "vitest";
import { asked, claim, opening, run, wait } from "../../contracts/ledger/rows.ts";
import { ledgerContract } from "../../contracts/ledger-contract.ts";
import { queryAt } from "../kit/postgres-place.ts";
import { postgresStores } from "../kit/postgres-stores.ts";
import { postgresWorld, upTo } from "../kit/postgres-world.ts";

const world = postgresWorld();
const { openStore } = postgresStores(world);

ledgerContract("PostgreSQL", async () => openStore(await world.migrated()));

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
  await queryAt(url, "CREATE ROLE onlooker LOGIN PASSWORD 'kit-password'");
  await queryAt(url, `GRANT USAGE ON SCHEMA ${schema} TO onlooker`);
  await expect(openStore(reader.href, true)).rejects.toThrow("haft ledger migrate");
  const store = await openStore(url);
  await wait(store, asked("a", "1"));
  await queryAt(url, `GRANT SELECT ON ALL TABLES IN SCHEMA ${schema} TO onlooker`);
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
