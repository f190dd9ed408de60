import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { durableLedgerContract } from "../../contracts/ledger/durable-contract.ts";
import { createClosing, createOpening, runLedgerEffect } from "../../contracts/ledger/ledger-fixtures.ts";
import { ledgerContract } from "../../contracts/ledger-contract.ts";
import { usePostgresStores } from "../kit/postgres-stores.ts";
import { type PgBouncer, pgbouncerProgram, startPgBouncer } from "../kit/start-pgbouncer.ts";
import { usePostgres } from "../kit/use-postgres.ts";

describe.skipIf(pgbouncerProgram === undefined)("PostgreSQL behind PgBouncer", () => {
  const world = usePostgres();
  let pool: PgBouncer;
  beforeAll(async () => {
    pool = await startPgBouncer(world.server.url);
  });
  afterAll(() => pool?.[Symbol.asyncDispose]());
  const { openStore, place } = usePostgresStores(world, (url) => pool.through(url));

  ledgerContract("PostgreSQL in transaction mode", async () => openStore(await world.migrated()));

  // Takes a minute, so it runs in soaks.
  const everything = process.env.HAFT_SOAK === undefined ? () => {} : durableLedgerContract;
  everything("PostgreSQL in transaction mode", place);

  it("ten stores write to their own chains over four connections", async () => {
    const url = await world.migrated();
    const ledgers = await Promise.all(Array.from({ length: 10 }, () => openStore(url)));
    await Promise.all(
      ledgers.flatMap((ledger, i) =>
        Array.from({ length: 20 }, async (_, n) => {
          await runLedgerEffect(ledger.open(createOpening(`${i}-${n}`)));
          await runLedgerEffect(ledger.close(createClosing(`${i}-${n}`)));
        }),
      ),
    );
    expect(await runLedgerEffect(ledgers[0]!.verify())).toMatchObject({ ok: true, rows: 400 });
    expect(await runLedgerEffect(ledgers[3]!.entries({ ending: "executed" }))).toHaveLength(200);
  });
});
