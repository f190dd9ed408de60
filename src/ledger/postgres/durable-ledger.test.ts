import { durableLedgerContract } from "../../../test/contracts/ledger/durable-contract.ts";
import { postgresStores } from "../../../test/kit/postgres-stores.ts";
import { postgresWorld } from "../../../test/kit/postgres-world.ts";

const { place } = postgresStores(postgresWorld());

durableLedgerContract("PostgreSQL", place);
