import { randomBytes } from "node:crypto";
import { beforeAll } from "vitest";
import { approvalMatrix } from "../../approvals/matrix.ts";
import { usePostgres } from "../kit/use-postgres.ts";

const world = usePostgres();

beforeAll(() => {
  // SQLite ledgers create a key file; on PostgreSQL the payload key comes from the environment.
  process.env.HAFT_LEDGER_KEY = randomBytes(32).toString("base64");
});

approvalMatrix("PostgreSQL", () => world.migrated());
