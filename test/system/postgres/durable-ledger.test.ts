import { durableLedgerContract } from "../../contracts/ledger/durable-contract.ts";
import { postgresStores } from "../kit/postgres-stores.ts";
import { postgresWorld } from "../kit/postgres-world.ts";

const { place } = postgresStores(postgresWorld());

durableLedgerContract("PostgreSQL", place);
