import { inspect } from "node:util";
import { describe, expect, it } from "vitest";
import type { Row, Script } from "../../../src/ledger/durable/database.ts";
import { openPostgresDatabase } from "../../../src/ledger/postgres-database.ts";
import { singleStatement, usePostgres } from "../kit/use-postgres.ts";

const world = usePostgres();

describe("write script", () => {
  it("that throws is rolled back, and its error is rethrown", async () => {
    const database = await world.open(await world.fresh());
    await database.write(() => singleStatement("CREATE TABLE t (a int8)"));
    const broken = new Error("changed my mind");
    const writing = database.write(function* () {
      yield { sql: "INSERT INTO t VALUES (?)", values: [1] };
      throw broken;
    });
    await expect(writing).rejects.toBe(broken);
    await database.write(() => singleStatement("INSERT INTO t VALUES (?)", 2));
    expect(await database.read(() => singleStatement("SELECT a FROM t"))).toEqual([{ a: 2 }]);
  });

  it.each([
    { what: "statement", step: { sql: "INSERT INTO t VALUES (?, ?)", values: [1, "private words"] } },
    { what: "row", step: { insert: "t", columns: ["a", "b"], rows: [[1, "private words"]] } },
  ])("whose $what is rejected is rolled back, and the next one succeeds", async ({ step }) => {
    const database = await world.open(await world.fresh());
    await database.write(() => singleStatement("CREATE TABLE t (a int8 PRIMARY KEY, b text)"));
    const writing = database.write(function* () {
      yield step;
      yield step;
      yield { insert: "t", columns: ["a"], rows: [[3]] };
    });
    await expect(writing).rejects.toMatchObject({ code: "ledger_unavailable" });
    const error = await writing.catch((caught: Error) => caught);
    expect(String(error)).toContain("t_pkey");
    expect(inspect(error, { depth: 10 })).not.toContain("private words");
    expect(database.isRefusal?.(error)).toBe(true);
    await database.write(() => singleStatement("INSERT INTO t VALUES (?, ?)", 2, "b"));
    expect(await database.read(() => singleStatement("SELECT a FROM t"))).toEqual([{ a: 2 }]);
  });

  it("is closed when a statement fails, so that it can release its resources", async () => {
    const database = await world.open(await world.fresh());
    let isClosed = false;
    const writing = database.write(function* () {
      try {
        yield { sql: "SELECT broken syntax here", values: [] };
      } finally {
        isClosed = true;
      }
    });
    const error = await writing.catch((caught: Error) => caught);
    expect(String(error)).toContain("SQLSTATE 42");
    expect(database.isRefusal?.(error)).toBe(false);
    expect(isClosed).toBe(true);
  });

  it("sees committed rows of other processes under a serializable default isolation", async () => {
    const url = await world.fresh();
    await world.server.query(
      `ALTER DATABASE ${new URL(url).pathname.slice(1)} SET default_transaction_isolation = 'serializable'`,
    );
    const [first, second] = [await world.open(url), await world.open(url)];
    await first.write(() => singleStatement("CREATE TABLE t (n int8)"));
    await first.write(() => singleStatement("INSERT INTO t VALUES (0)"));
    let runs = 0;
    const add = () => {
      runs += 1;
      return singleStatement("UPDATE t SET n = n + 1");
    };
    await Promise.all(Array.from({ length: 40 }, (_, n) => (n % 2 === 0 ? first : second).write(add)));
    expect(runs).toBe(40);
    expect(await first.read(() => singleStatement("SELECT n FROM t"))).toEqual([{ n: 40 }]);
  });

  it("is durable although the database sets synchronous_commit to off", async () => {
    const url = await world.fresh();
    await world.server.query(`ALTER DATABASE ${new URL(url).pathname.slice(1)} SET synchronous_commit = off`);
    const database = await world.open(url);
    const setting = () => singleStatement("SELECT current_setting('synchronous_commit') AS value");
    expect(await database.write(setting)).toEqual([{ value: "on" }]);
    expect(await database.write(setting, { full: true })).toEqual([{ value: "on" }]);
  });
});

describe("values", () => {
  it("are read as they were written", async () => {
    const database = await world.open(await world.fresh());
    await database.write(() => singleStatement("CREATE TABLE t (a int8, b text, c bytea, d float8)"));
    const bytes = Uint8Array.from({ length: 256 }, (_, n) => n);
    const rows = [
      [Number.MAX_SAFE_INTEGER, "what? \0 \uE000 'quoted' \\ 😀", bytes, 2.5],
      [-1, "", new Uint8Array(), 1e-7],
      [null, null, null, null],
    ];
    await database.write(function* () {
      yield { insert: "t", columns: ["a", "b", "c", "d"], rows };
    });
    const read = await database.read(() => singleStatement("SELECT a, b, c, d FROM t"));
    expect(read.map(({ a, b, c, d }) => [a, b, c, d])).toEqual(rows);
  });

  it("of a count, a sum and a boolean are numbers", async () => {
    const database = await world.open(await world.fresh());
    const sql =
      "SELECT count(*) AS a, sum(n) AS b, true AS c, false AS d FROM (VALUES (?::int8), (?)) AS t (n)";
    expect(await database.read(() => singleStatement(sql, 2, 3))).toEqual([{ a: 2, b: 5, c: 1, d: 0 }]);
  });

  it("replace question marks outside quoted text", async () => {
    const database = await world.open(await world.fresh());
    const rows = await database.read(() =>
      singleStatement("SELECT 'really?' AS a, ?::text AS \"b?\"", "yes"),
    );
    expect(rows).toEqual([{ a: "really?", "b?": "yes" }]);
  });

  it("of many rows are inserted in order", async () => {
    const database = await world.open(await world.fresh());
    await database.write(() => singleStatement("CREATE TABLE t (seq serial, a int8, b text)"));
    const rows = Array.from({ length: 333 }, (_, n) => [n, `row ${n}`]);
    await database.write(function* () {
      yield { insert: "t", columns: ["a", "b"], rows };
    });
    const read = await database.read(() => singleStatement("SELECT a, b FROM t ORDER BY seq"));
    expect(read.map(({ a, b }) => [a, b])).toEqual(rows);
  });
});

describe("read script", () => {
  it("sees one snapshot during concurrent writes", async () => {
    const database = await world.open(await world.fresh());
    await database.write(() => singleStatement("CREATE TABLE t (a int8)"));
    let written: Promise<unknown> | undefined;
    const counts = await database.read(function* () {
      const count = () => ({ sql: "SELECT count(*) AS n FROM t", values: [] });
      const before: readonly Row[] = yield count();
      written = database.write(() => singleStatement("INSERT INTO t VALUES (1)"));
      // A slow read: the write ends long before.
      yield { sql: "SELECT pg_sleep(0.2)", values: [] };
      const after: readonly Row[] = yield count();
      return [before[0]?.n, after[0]?.n];
    });
    await written;
    expect(counts).toEqual([0, 0]);
    expect(await database.read(() => singleStatement("SELECT a FROM t"))).toEqual([{ a: 1 }]);
  });

  it("cannot write", async () => {
    const database = await world.open(await world.fresh());
    await expect(database.read(() => singleStatement("CREATE TABLE t (a int8)"))).rejects.toThrow(
      "read-only",
    );
  });
});

describe("two processes", () => {
  it("writing exclusively 200 times each count without gaps", async () => {
    const url = await world.fresh();
    const [first, second] = await Promise.all([world.open(url), world.open(url)]);
    await first.write(() => singleStatement("CREATE TABLE counted (n int8, who text)"));
    const count = (who: string) =>
      function* (): Script<void> {
        const rows: readonly Row[] = yield {
          sql: "SELECT coalesce(max(n), 0) AS n FROM counted",
          values: [],
        };
        yield { insert: "counted", columns: ["n", "who"], rows: [[Number(rows[0]?.n) + 1, who]] };
      };
    await Promise.all(
      Array.from({ length: 400 }, (_, n) =>
        n % 2 === 0 ? first.write(count("a"), { alone: true }) : second.write(count("b"), { alone: true }),
      ),
    );
    const rows = await first.read(() => singleStatement("SELECT n FROM counted ORDER BY n"));
    expect(rows.map(({ n }) => n)).toEqual(Array.from({ length: 400 }, (_, n) => n + 1));
  });

  it("starting on an empty database create their tables once", async () => {
    const url = await world.fresh();
    const all = await Promise.all(Array.from({ length: 4 }, () => world.open(url)));
    const migrate = function* (): Script<void> {
      const [row]: readonly Row[] = yield {
        sql: "SELECT to_regclass('made') IS NULL AS missing",
        values: [],
      };
      if (row?.missing === 1)
        yield { sql: "CREATE TABLE made (a int8); INSERT INTO made VALUES (1)", values: [] };
    };
    await Promise.all(all.map((database) => database.write(migrate, { alone: true })));
    expect(await all[0]?.read(() => singleStatement("SELECT a FROM made"))).toEqual([{ a: 1 }]);
  });

  it("replan cached statements after a table change by the other", async () => {
    const url = await world.fresh();
    const [first, second] = await Promise.all([world.open(url), world.open(url)]);
    await first.write(() => singleStatement("CREATE TABLE t (a int8)"));
    const all = () => singleStatement("SELECT * FROM t");
    await second.write(all);
    await second.read(all);
    await first.write(() => singleStatement("ALTER TABLE t ADD COLUMN b text"));
    expect(await second.write(all)).toEqual([]);
    expect(await second.read(all)).toEqual([]);
  });
});

describe("closed database", () => {
  it("finishes earlier statements, and rejects later ones", async () => {
    const url = await world.fresh();
    const database = await openPostgresDatabase({ url });
    const writing = database.write(() => singleStatement("CREATE TABLE t (a int8)"));
    await Promise.all([database.close(), database.close()]);
    await writing;
    await expect(database.write(() => singleStatement("SELECT 1"))).rejects.toThrow("closed");
    await expect(database.read(() => singleStatement("SELECT 1"))).rejects.toThrow("closed");
  });
});
