import fc from "fast-check";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Row, Script } from "../../../src/ledger/durable/database.ts";
import { LedgerError } from "../../../src/types/errors.ts";
import { type ConnectionCut, type CuttingProxy, cuttingProxy } from "../kit/cutting-proxy.ts";
import {
  insertNumber,
  numbersUpTo,
  singleStatement,
  storedNumbers,
  useOwnPostgres,
} from "../kit/use-postgres.ts";

const rounds = process.env.HAFT_SOAK === undefined ? 20 : 200;
const world = useOwnPostgres();
let proxy: CuttingProxy;
beforeAll(async () => {
  proxy = await cuttingProxy(Number(new URL(world.server.url).port));
});
afterAll(() => proxy?.[Symbol.asyncDispose]());

/** Same as `insert`, but without waiting for the result. */
const post = (a: number) =>
  function* (): Script<readonly Row[]> {
    return yield { insert: "t", columns: ["a"], rows: [[a]] };
  };
const throughProxy = (url: string): string => url.replace(/:\d+\//, `:${proxy.port}/`);

describe("lost connection", () => {
  it("during a transaction is replaced, and the script is applied once", async () => {
    const database = await world.withTable(await world.fresh());
    let runs = 0;
    await database.write(function* () {
      runs += 1;
      yield* insertNumber(1)();
      if (runs < 4) yield { sql: "SELECT pg_terminate_backend(pg_backend_pid())", values: [] };
    });
    expect(runs).toBe(4);
    expect(await storedNumbers(database)).toEqual([1]);
  });

  it("during a read repeats it", async () => {
    const database = await world.withTable(await world.fresh());
    let runs = 0;
    const rows = await database.read(function* () {
      runs += 1;
      if (runs === 1) yield { sql: "SELECT pg_terminate_backend(pg_backend_pid())", values: [] };
      return yield* singleStatement("SELECT 7 AS seven");
    });
    expect(rows).toEqual([{ seven: 7 }]);
  });

  it("while idle has no effect", async () => {
    const database = await world.withTable(await world.fresh());
    await database.hold?.("idle");
    await storedNumbers(database);
    await world.server.query(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'haft'",
    );
    await database.write(insertNumber(1));
    expect(await storedNumbers(database)).toEqual([1]);
  });

  it.each([
    { delivered: true, what: "after the server got it" },
    { delivered: false, what: "before the server got it" },
  ])("with the COMMIT, $what, neither loses nor repeats the write", async ({ delivered }) => {
    const database = await world.withTable(throughProxy(await world.fresh()));
    for (const n of numbersUpTo(rounds)) {
      let runs = 0;
      proxy.cutAll();
      proxy.cuts.push({ at: "; COMMIT", delivered }, { at: "; COMMIT", delivered });
      const rows = await database.write(function* () {
        const answer = yield* insertNumber(n)();
        runs += 1;
        return answer;
      });
      expect({ rows, runs }).toEqual({ rows: [{ a: n }], runs: delivered ? 1 : 3 });
    }
    proxy.cutAll();
    expect(await storedNumbers(database)).toEqual(numbersUpTo(rounds));
  });

  it("raises a fence before it checks the write, so that a delayed COMMIT has no effect", async () => {
    const url = await world.fresh();
    const database = await world.withTable(throughProxy(url));
    proxy.cutAll();
    proxy.cuts.push({ at: "; COMMIT", delivered: false });
    await database.write(insertNumber(1));
    const other = new pg.Client({ connectionString: url });
    await other.connect();
    const { rows } = await other.query("SELECT writer, number, fence FROM haft_commits");
    expect(rows).toMatchObject([{ fence: "1" }]);
    const [{ writer, number }] = rows;
    const late = await other.query(
      `UPDATE haft_commits SET number = ${Number(number) + 1} WHERE writer = '${writer}' AND fence = 0`,
    );
    expect(late.rowCount).toBe(0);
    await other.end();
    expect(await storedNumbers(database)).toEqual([1]);
  });

  it("at any byte neither loses nor repeats a write", async () => {
    const database = await world.withTable(throughProxy(await world.fresh()));
    let written = 0;
    const cut = fc.record<Extract<ConnectionCut, { readonly from: string }>>({
      from: fc.constantFrom("client", "server"),
      // The login takes about 600 bytes in each direction; five writes take the rest.
      afterBytes: fc.oneof(fc.nat(600), { arbitrary: fc.integer({ min: 600, max: 2_000 }), weight: 4 }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(cut, { minLength: 1, maxLength: 6 }), async (cuts) => {
        proxy.cutAll();
        proxy.cuts.push(...cuts);
        await Promise.all(
          numbersUpTo(5).map((n) => database.write((n % 2 === 0 ? insertNumber : post)(written + n))),
        );
        written += 5;
        proxy.cuts.length = 0;
        proxy.cutAll();
        expect(await storedNumbers(database)).toEqual(numbersUpTo(written));
      }),
      { numRuns: rounds * 2, endOnFailure: true },
    );
  });

  it("beyond the timeout fails, and reports when the result is unknown", async () => {
    const database = await world.withTable(throughProxy(await world.fresh()), 300);
    proxy.cutAll();
    proxy.cuts.push(...Array.from({ length: 500 }, () => ({ from: "client", afterBytes: 0 }) as const));
    await expect(database.write(insertNumber(1))).rejects.toThrow("the connection was lost");
    proxy.cuts.unshift({ at: "; COMMIT", delivered: true });
    const writing = database.write(insertNumber(2));
    await expect(writing).rejects.toBeInstanceOf(LedgerError);
    await expect(writing).rejects.toThrow("Whether the last write was stored is unknown");
    proxy.cuts.length = 0;
    expect(await storedNumbers(database)).toEqual([2]);
  });
});

describe("restarted server", () => {
  it.each(["restart", "kill"] as const)("by %s during writes loses and repeats none", async (how) => {
    const database = await world.withTable(await world.fresh());
    let acknowledged = 0;
    let restarted: Promise<void> | undefined;
    const bounce = async () => {
      if (how === "kill") await world.server.kill();
      await world.server.restart();
    };
    await Promise.all(
      numbersUpTo(200).map(async (n) => {
        await database.write(insertNumber(n));
        acknowledged += 1;
        if (acknowledged === 50) restarted = bounce();
      }),
    );
    await restarted;
    expect(await storedNumbers(database)).toEqual(numbersUpTo(200));
    await bounce();
    await database.write(insertNumber(200));
    expect(await storedNumbers(database)).toEqual(numbersUpTo(201));
  });
});
