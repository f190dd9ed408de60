import { inspect } from "node:util";
import pg from "pg";
import { describe, expect, it } from "vitest";
import { lockKey } from "../../../src/ledger/postgres/session.ts";
import { openPostgresDatabase } from "../../../src/ledger/postgres-database.ts";
import { ConfigurationError, LedgerError } from "../../../src/types/errors.ts";
import { insertNumber, singleStatement, storedNumbers, useOwnPostgres } from "../kit/use-postgres.ts";

const world = useOwnPostgres();

describe("unusable database", () => {
  const secret = "hunter2-do-not-print";
  const urlWith = (change: (url: URL) => void): string => {
    const url = new URL(world.server.url);
    change(url);
    return url.href;
  };
  const refusalOf = async (url: string, patienceMs = 20_000): Promise<Error> => {
    const error = await openPostgresDatabase({ url, patienceMs }).then(
      () => new Error("it opened"),
      (caught: Error) => caught,
    );
    expect(inspect(error, { depth: 10 })).not.toMatch(/hunter2|kit-password/);
    return error;
  };

  it("reports a wrong password without printing it", async () => {
    const error = await refusalOf(urlWith((url) => (url.password = secret)));
    expect(error).toBeInstanceOf(LedgerError);
    expect(error).toMatchObject({ code: "ledger_unavailable" });
    expect(error.message).toContain("the password is wrong");
  });

  it("reports a missing password", async () => {
    const error = await refusalOf(urlWith((url) => (url.password = "")));
    expect(error.message).toContain("the url has none");
  });

  it("reports a missing database", async () => {
    const error = await refusalOf(urlWith((url) => (url.pathname = "/nowhere")));
    expect(error.message).toMatch(/127\.0\.0\.1:\d+\/nowhere: the database does not exist/);
  });

  it("reports a closed port at once", async () => {
    const error = await refusalOf(
      urlWith((url) => (url.port = "1")),
      500,
    );
    expect(error.message).toContain("no server listens at this address");
  });

  it.each([
    "mysql://u:hunter2@h/d",
    "nonsense hunter2",
    "postgres://u:1/hunter2@h/d",
    "postgres://u:1?hunter2@h/d",
  ])("reports an invalid url with the expected form", async (url) => {
    const error = await refusalOf(url);
    expect(error).toBeInstanceOf(ConfigurationError);
    expect(error.message).toContain("postgres://user:password@host:5432/database");
  });

  it("reports a wrong encoding with the required one", async () => {
    await world.server.query("CREATE DATABASE latin ENCODING 'LATIN1' TEMPLATE template0 LOCALE 'C'");
    const error = await refusalOf(urlWith((url) => (url.pathname = "/latin")));
    expect(error.message).toContain("ENCODING 'UTF8'");
  });

  it("reports a missing schema", async () => {
    const error = await refusalOf(`${world.server.url}?options=-c%20search_path%3Dmissing`);
    expect(error.message).toContain("search_path");
  });

  it("reports a missing permission with its GRANT, and works after it", async () => {
    const name = new URL(await world.fresh()).pathname.slice(1);
    await world.server.query(`CREATE ROLE weak LOGIN PASSWORD '${secret}'`);
    const database = await world.open(
      urlWith((url) => Object.assign(url, { username: "weak", password: secret, pathname: name })),
    );
    const create = () => singleStatement("CREATE TABLE t (a int8)");
    await expect(database.write(create)).rejects.toThrow("GRANT CREATE");
    await world.server.query(
      `GRANT CREATE ON DATABASE ${name} TO weak; ALTER DATABASE ${name} OWNER TO weak`,
    );
    await database.write(create);
  });

  it("reports a full disk, and nothing is written", async () => {
    const database = await world.withTable(await world.fresh());
    const writing = database.write(function* () {
      yield* insertNumber(1)();
      yield { sql: "DO $$ BEGIN RAISE EXCEPTION 'no space' USING ERRCODE = 'disk_full'; END $$", values: [] };
    });
    await expect(writing).rejects.toThrow("disk is full");
    expect(await storedNumbers(database)).toEqual([]);
  });

  it("waits for a lock of another session, and reports where to look after a timeout", async () => {
    const url = await world.fresh();
    const database = await world.withTable(url, 300);
    const other = new pg.Client({ connectionString: url });
    await other.connect();
    const key = lockKey("write", "public");
    await other.query(`SELECT pg_advisory_lock(${key})`);
    await expect(database.write(insertNumber(1), { alone: true })).rejects.toThrow("pg_stat_activity");
    const patient = await world.open(url);
    const writing = patient.write(insertNumber(2), { alone: true });
    await other.query(`SELECT pg_advisory_unlock(${key})`);
    await writing;
    await other.end();
    expect(await storedNumbers(database)).toEqual([2]);
  });
});
