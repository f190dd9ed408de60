import { randomBytes } from "node:crypto";
import pg from "pg";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { durableLedgerContract } from "../../../test/contracts/ledger/durable-contract.ts";
import { closing, ledgerSecret, opening, run } from "../../../test/contracts/ledger/rows.ts";
import { ledgerContract } from "../../../test/contracts/ledger-contract.ts";
import { type PgBouncer, pgbouncerProgram, startPgBouncer } from "../../../test/kit/pgbouncer.ts";
import { postgresWorld } from "../../../test/kit/postgres-world.ts";
import { redactor } from "../../json/redact.ts";
import type { DurableLedger } from "../../words/durable-ledger.ts";
import { openDurableLedger } from "../open-ledger.ts";

describe.skipIf(pgbouncerProgram === undefined)("behind PgBouncer, where it is installed", () => {
  const world = postgresWorld();
  let pool: PgBouncer;
  let stores: DurableLedger[] = [];
  beforeAll(async () => {
    pool = await startPgBouncer(world.server.url);
  });
  afterEach(async () => {
    await Promise.all(stores.map((store) => store.end()));
    stores = [];
  });
  afterAll(() => pool?.[Symbol.asyncDispose]());

  const masking = redactor({ secrets: () => [ledgerSecret] });
  const key = randomBytes(32).toString("hex");
  const openStore = async (url: string, readOnly = false): Promise<DurableLedger> => {
    const store = await openDurableLedger(pool.through(url), { key, redactor: masking, readOnly });
    stores.push(store);
    return store;
  };
  const tamper = async (url: string, sql: string): Promise<void> => {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    await client.query(`DROP TRIGGER IF EXISTS haft_records_fixed ON haft_records; ${sql}`);
    await client.end();
  };

  ledgerContract("PostgreSQL in transaction mode", async () => openStore(await world.migrated()));

  // It takes a minute, so it is gone through in soaks.
  const everything = process.env.HAFT_SOAK === undefined ? () => {} : durableLedgerContract;
  everything("PostgreSQL in transaction mode", async () => {
    const url = await world.migrated();
    return {
      ledger: await openStore(url),
      another: () => openStore(url),
      reading: () => openStore(url, true),
      tamper: (sql) => tamper(url, sql),
    };
  });

  it("ten stores write over four connections, each to a chain of its own", async () => {
    const url = await world.migrated();
    const ledgers = await Promise.all(Array.from({ length: 10 }, () => openStore(url)));
    await Promise.all(
      ledgers.flatMap((ledger, i) =>
        Array.from({ length: 20 }, async (_, n) => {
          await run(ledger.open(opening(`${i}-${n}`)));
          await run(ledger.close(closing(`${i}-${n}`)));
        }),
      ),
    );
    expect(await run(ledgers[0]!.verify())).toMatchObject({ ok: true, rows: 400 });
    expect(await run(ledgers[3]!.entries({ ending: "executed" }))).toHaveLength(200);
  });
});
