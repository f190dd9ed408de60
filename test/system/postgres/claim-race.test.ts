import pg from "pg";
import { afterEach, describe, expect, it } from "vitest";
import type { Row, Script } from "../../../src/ledger/durable/database.ts";
import { dialectOf } from "../../../src/ledger/durable/dialect.ts";
import { createDurableLedger } from "../../../src/ledger/durable/durable-ledger.ts";
import { RunLeases } from "../../../src/ledger/durable/runs/run-writes.ts";
import { createStatementBuilder, typeParsers } from "../../../src/ledger/postgres/statements.ts";
import { runLedgerEffect, runToLedgerError } from "../../contracts/ledger/ledger-fixtures.ts";
import { createOpening } from "../../contracts/ledger-contract.ts";
import { testMasking, useSqliteFolder } from "../../kit/use-sqlite-folder.ts";
import { waitFor } from "../../kit/wait-for.ts";
import { singleStatement, usePostgres } from "../kit/use-postgres.ts";

const begin = { runId: "r", agent: "a", principal: undefined, messages: [], at: 1_000 };
const add = {
  runId: "r",
  messages: [],
  turns: 1,
  usage: { inputTokens: 1, outputTokens: 1 },
  agent: "a",
  at: 2,
};

/** The statement of the recovery for a run whose holder seems dead. */
const free = (owner: string) => ({
  sql: "UPDATE haft_runs SET owner = NULL, epoch = epoch + 1 WHERE owner = ? RETURNING epoch",
  values: [owner],
});

/** The statement of another process that claims the run. */
const claimRun = (owner: string, runId: string) => ({
  sql: "UPDATE haft_runs SET owner = ?, epoch = epoch + 1 WHERE run_id = ? AND owner IS NULL RETURNING *",
  values: [owner, runId],
});

describe("session claim in PostgreSQL", () => {
  const world = usePostgres();
  const dialect = dialectOf({ dialect: "postgres" });
  const toStatements = createStatementBuilder(() => true);
  let clients: pg.Client[] = [];
  afterEach(async () => {
    await Promise.all(clients.map((client) => client.end()));
    clients = [];
  });

  /** Runs the statements of a script in a transaction that the test begins and ends. */
  const session = async (url: string) => {
    const client = new pg.Client({ connectionString: url, types: typeParsers as never });
    await client.connect();
    clients.push(client);
    const perform = async <A>(script: Script<A>): Promise<A> => {
      let step = script.next([]);
      while (step.done !== true) {
        let rows: readonly Row[] = [];
        for (const each of toStatements(step.value)) rows = (await client.query(each as pg.QueryConfig)).rows;
        step = script.next(rows);
      }
      return step.value;
    };
    const ask = (query: { readonly sql: string; readonly values: readonly string[] }) =>
      perform(
        (function* (): Script<readonly Row[]> {
          return yield query;
        })(),
      );
    const check = async (epoch: number, owner: string): Promise<unknown> => {
      const claims = new RunLeases(dialect, owner);
      await perform(claims.lock(["r"]));
      try {
        return claims.held("r", epoch, owner).epoch;
      } catch (error) {
        return (error as { readonly code: string }).code;
      }
    };
    return { client, ask, check };
  };
  const place = async () => {
    const url = await world.migrated();
    const database = await world.open(url);
    const ledger = await createDurableLedger(database, { redactor: testMasking, place: "postgres" });
    await runLedgerEffect(ledger.runs.begin(begin));
    const [row] = await database.read(() => singleStatement("SELECT owner FROM haft_runs"));
    return { url, database, ledger, owner: String(row?.owner) };
  };
  const isWaiting = (url: string) => async (): Promise<boolean> => {
    const database = new URL(url).pathname.slice(1);
    const rows = await world.server.query(
      "SELECT 1 FROM pg_stat_activity WHERE datname = $1 AND wait_event_type = 'Lock'",
      [database],
    );
    return rows.length > 0;
  };

  it("a takeover waits for a writer that has checked its epoch, whose next check is refused", async () => {
    const { url, owner } = await place();
    const [a, b] = [await session(url), await session(url)];
    await a.client.query("BEGIN");
    expect(await a.check(1, owner)).toBe(1);
    let isFreed = false;
    const taking = b.ask(free(owner)).then((rows) => {
      isFreed = true;
      return rows;
    });
    await waitFor(async () => expect(await isWaiting(url)()).toBe(true));
    expect(isFreed).toBe(false);
    await a.client.query("COMMIT");
    expect(await taking).toEqual([{ epoch: 2 }]);
    expect(await b.ask(claimRun("b", "r"))).toMatchObject([{ epoch: 3, owner: "b" }]);
    expect(await a.check(1, owner)).toBe("claim_lost");
  });

  it("a writer waits for an uncommitted takeover, and is refused", async () => {
    const { url, owner } = await place();
    const [a, b] = [await session(url), await session(url)];
    await b.client.query("BEGIN");
    await b.ask(free(owner));
    await b.ask(claimRun("b", "r"));
    await a.client.query("BEGIN");
    // The value that a check without a lock would read.
    expect((await a.client.query("SELECT epoch FROM haft_runs")).rows).toEqual([{ epoch: 1 }]);
    const checking = a.check(1, owner);
    await waitFor(async () => expect(await isWaiting(url)()).toBe(true));
    await b.client.query("COMMIT");
    expect(await checking).toBe("claim_lost");
    await a.client.query("ROLLBACK");
  });

  it("writes of the ledger are refused after a takeover", async () => {
    const { url, owner, ledger } = await place();
    const b = await session(url);
    await b.client.query("BEGIN");
    await b.ask(free(owner));
    const writing = runToLedgerError(ledger.runs.add({ ...add, epoch: 1 }));
    await waitFor(async () => expect(await isWaiting(url)()).toBe(true));
    await b.ask(claimRun("b", "r"));
    await b.client.query("COMMIT");
    expect(await writing).toMatchObject({ code: "claim_lost" });
    expect(await runToLedgerError(ledger.open(createOpening("1", { runId: "r", epoch: 1 })))).toMatchObject({
      code: "claim_lost",
    });
  });
});

describe("session claim in SQLite", () => {
  const { fresh, open, connect } = useSqliteFolder();

  it("a writer that waited for a takeover is refused", async () => {
    const path = fresh();
    const ledger = await open(path);
    await runLedgerEffect(ledger.runs.begin(begin));
    const other = connect(path);
    other.exec("BEGIN IMMEDIATE");
    const writing = runToLedgerError(ledger.runs.add({ ...add, epoch: 1 }));
    other.exec("UPDATE haft_runs SET owner = 'b', epoch = epoch + 2");
    other.exec("COMMIT");
    expect(await writing).toMatchObject({ code: "claim_lost" });
  });

  it("a takeover waits for a writer that has checked its epoch", async () => {
    const path = fresh();
    const [first, second] = [await open(path), await open(path)];
    await runLedgerEffect(first.runs.begin(begin));
    await runLedgerEffect(first.runs.end({ runId: "r", epoch: 1, status: "pending", at: 2_000 }));
    const other = connect(path);
    other.exec("BEGIN IMMEDIATE");
    expect(other.prepare("SELECT epoch FROM haft_runs").get()).toEqual({ epoch: 1 });
    let isClaimed = false;
    const claiming = runLedgerEffect(second.runs.claim("r", 3_000)).then((epoch) => {
      isClaimed = true;
      return epoch;
    });
    for (let turns = 0; turns < 20; turns++) await new Promise((resolve) => setImmediate(resolve));
    expect(isClaimed).toBe(false);
    other.exec("UPDATE haft_runs SET turns = 7");
    other.exec("COMMIT");
    expect(await claiming).toBe(2);
    expect(await runLedgerEffect(first.runs.find("r"))).toMatchObject({ turns: 7, isHeld: true });
  });

  it("one of two concurrent claims of a run wins", async () => {
    const path = fresh();
    const stores = [await open(path), await open(path)];
    let holder = stores[0]!;
    await runLedgerEffect(holder.runs.begin(begin));
    for (let epoch = 1; epoch < 20; epoch++) {
      await runLedgerEffect(holder.runs.end({ runId: "r", epoch, status: "pending", at: 1 }));
      const claims = await Promise.all(stores.map(({ runs }) => runLedgerEffect(runs.claim("r", 2))));
      expect(claims.filter((each) => each !== undefined)).toEqual([epoch + 1]);
      holder = stores[claims.indexOf(epoch + 1)]!;
    }
  });
});
