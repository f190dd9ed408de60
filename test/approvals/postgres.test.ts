import { randomBytes } from "node:crypto";
import { afterAll, beforeAll } from "vitest";
import { type PostgresServer, startPostgres } from "../kit/postgres.ts";
import { approvalMatrix } from "./matrix.ts";

let postgres: PostgresServer;
let count = 0;

beforeAll(async () => {
  // Beside a file there is a key file; a database on a network has none, and keeps exact texts only under a key.
  process.env.HAFT_LEDGER_KEY = randomBytes(32).toString("base64");
  postgres = await startPostgres();
}, 120_000);

afterAll(() => postgres?.stop());

approvalMatrix("PostgreSQL", () => postgres.createDatabase(`approvals_${++count}`));
