import { durableLedgerContract } from "../../contracts/ledger/durable-contract.ts";
import { usePostgresStores } from "../kit/postgres-stores.ts";
import { usePostgres } from "../kit/use-postgres.ts";

const { place } = usePostgresStores(usePostgres());

durableLedgerContract("PostgreSQL", place);
