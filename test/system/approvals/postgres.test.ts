import { randomBytes } from "node:crypto";
import { beforeAll } from "vitest";
import { approvalMatrix } from "../../approvals/matrix.ts";
import { usePostgres } from "../kit/use-postgres.ts";

const world = usePostgres();

beforeAll(() => {
  // Beside a file there is a key file; a database on a network has none, and keeps exact texts only under a key.
  process.env.HAFT_LEDGER_KEY = randomBytes(32).toString("base64");
});

approvalMatrix("PostgreSQL", () => world.migrated());
