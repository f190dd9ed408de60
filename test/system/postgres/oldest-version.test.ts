import { expect, it } from "vitest";
import { durableLedgerContract } from "../../contracts/ledger/durable-contract.ts";
import { ledgerContract } from "../../contracts/ledger-contract.ts";
import { usePostgresStores } from "../kit/postgres-stores.ts";
import { usePostgres } from "../kit/use-postgres.ts";

const world = usePostgres(14);
const { openStore, place } = usePostgresStores(world);

it("the tests run on the oldest supported PostgreSQL version", async () => {
  const [row] = await world.server.query("SHOW server_version_num");
  expect(Math.floor(Number(row?.server_version_num) / 10_000)).toBe(14);
});

ledgerContract("PostgreSQL 14", async () => openStore(await world.migrated()));

// The contract runs daily on a newer version, and in soaks on the oldest.
const everything = process.env.HAFT_SOAK === undefined ? () => {} : durableLedgerContract;
everything("PostgreSQL 14", place);
