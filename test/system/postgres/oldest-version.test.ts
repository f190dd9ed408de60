import { expect, it } from "vitest";
import { durableLedgerContract } from "../../contracts/ledger/durable-contract.ts";
import { ledgerContract } from "../../contracts/ledger-contract.ts";
import { usePostgresStores } from "../kit/postgres-stores.ts";
import { usePostgres } from "../kit/use-postgres.ts";

const world = usePostgres(14);
const { openStore, place } = usePostgresStores(world);

it("the server of these tests is of the oldest version that the ledger is for", async () => {
  const [row] = await world.server.query("SHOW server_version_num");
  expect(Math.floor(Number(row?.server_version_num) / 10_000)).toBe(14);
});

ledgerContract("PostgreSQL 14", async () => openStore(await world.migrated()));

// What a newer version shows every day, the oldest shows in soaks.
const everything = process.env.HAFT_SOAK === undefined ? () => {} : durableLedgerContract;
everything("PostgreSQL 14", place);
