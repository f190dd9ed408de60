import * as Effect from "effect/Effect";
import { expect, it } from "vitest";
import {
  createClosing,
  createKeyClaim,
  createOpening,
} from "../../../test/contracts/ledger/ledger-fixtures.ts";
import { waitFor } from "../../../test/kit/wait-for.ts";
import { redactor } from "../../base/json/redact.ts";
import { LedgerError } from "../../types/errors.ts";
import { ledgerUnavailable } from "../ledger-errors.ts";
import { openSqliteDatabase } from "../sqlite-database.ts";
import { noChainKeys } from "./chain/chain-keys.ts";
import type { Database, Script } from "./database.ts";
import { dialectOf } from "./dialect.ts";
import { createDurableLedger } from "./durable-ledger.ts";
import { createGroupWriter, type Operation } from "./group-writer.ts";
import { migrate } from "./migrations.ts";

/** Counts its transactions, and fails when the test says so. */
const watched = async () => {
  const inner = openSqliteDatabase({ path: ":memory:" });
  await inner.write(() => migrate(dialectOf(inner)));
  const seen = { writes: 0, full: 0, isAway: false, failures: Number.POSITIVE_INFINITY };
  const database: Database = {
    ...inner,
    write: async (script, options) => {
      if (seen.isAway && seen.failures-- > 0) throw ledgerUnavailable("The database is away.");
      seen.writes += 1;
      if (options?.full === true) seen.full += 1;
      return inner.write(script, options);
    },
  };
  const written = async () => {
    const rows = await inner.read(function* (): Script<readonly unknown[]> {
      return yield { sql: "SELECT value FROM haft_meta WHERE name <> 'schema' ORDER BY name", values: [] };
    });
    return rows.map((row) => (row as { value: string }).value);
  };
  return {
    seen,
    written,
    writes: createGroupWriter(database, { keys: noChainKeys, owner: "owner", now: Date.now }, () => {}),
  };
};

const put =
  (name: string, more: Partial<Operation<string>> = {}): (() => Operation<string>) =>
  () => ({
    entryIds: [],
    *run() {
      yield { insert: "haft_meta", columns: ["name", "value"], rows: [[name, name]] };
      return name;
    },
    ...more,
  });

const run = Effect.runPromise;

it("writes concurrent operations in one transaction and returns each result", async () => {
  const { seen, written, writes } = await watched();
  const names = Array.from({ length: 50 }, (_, i) => String(i).padStart(2, "0"));
  expect(await Promise.all(names.map((name) => run(writes.write(put(name)))))).toEqual(names);
  expect(seen.writes).toBe(1);
  expect(await written()).toEqual(names);
});

it("writes operations that arrive during a transaction in the next one", async () => {
  const { seen, writes } = await watched();
  const first = run(writes.write(put("a")));
  await Promise.resolve();
  const rest = ["b", "c", "d"].map((name) => run(writes.write(put(name))));
  await Promise.all([first, ...rest]);
  expect(seen.writes).toBe(2);
});

it("makes the whole transaction durable when one operation requires it", async () => {
  const { seen, writes } = await watched();
  await Promise.all([run(writes.write(put("a"))), run(writes.write(put("b", { full: true })))]);
  expect(seen).toMatchObject({ writes: 1, full: 1 });
});

it("writes the other operations when one refuses", async () => {
  const { seen, written, writes } = await watched();
  const refusing = (): Operation<never> => ({
    entryIds: [],
    // biome-ignore lint/correctness/useYield: it refuses before it writes anything
    *run() {
      throw ledgerUnavailable("no");
    },
  });
  const [a, b, c] = await Promise.all([
    run(writes.write(put("a"))),
    run(Effect.flip(writes.write(refusing))),
    run(writes.write(put("c"))),
  ]);
  expect([a, b.message, c]).toEqual(["a", "no", "c"]);
  expect(seen.writes).toBe(1);
  expect(await written()).toEqual(["a", "c"]);
});

it("rejects only the operation whose value the database refuses", async () => {
  const { written, writes } = await watched();
  await run(writes.write(put("b")));
  let discarded = 0;
  const again = put("b", { discard: () => discarded++ });
  const [a, b, c] = await Promise.all([
    run(writes.write(put("a"))),
    run(Effect.flip(writes.write(again))),
    run(writes.write(put("c"))),
  ]);
  expect(b).toBeInstanceOf(LedgerError);
  expect([a, c, discarded]).toEqual(["a", "c", 1]);
  expect(await written()).toEqual(["a", "b", "c"]);
});

it("rejects only the operation that throws", async () => {
  const { written, writes } = await watched();
  const breaking = (): Operation<never> => ({
    entryIds: [],
    *run() {
      yield { insert: "haft_meta", columns: ["name", "value"], rows: [["half", "half"]] };
      throw new TypeError("a mistake");
    },
  });
  const [, error] = await Promise.all([
    run(writes.write(put("a"))),
    run(Effect.flip(writes.write(breaking))),
  ]);
  expect(error.message).toContain("a mistake");
  expect(await written()).toEqual(["a"]);
});

it("rejects operations while the database is unavailable and writes outcomes later", async () => {
  const { seen, written, writes } = await watched();
  seen.isAway = true;
  const outcome = put("outcome", { isOutcome: true });
  for (const make of [put("other"), outcome]) {
    expect((await run(Effect.flip(writes.write(make)))).message).toBe("The database is away.");
  }
  seen.isAway = false;
  await run(writes.write(put("next")));
  expect(await written()).toEqual(["next", "outcome"]);
});

it("keeps at most 1,000 outcomes while the database is unavailable", async () => {
  const { seen, written, writes } = await watched();
  seen.isAway = true;
  const names = Array.from({ length: 1_010 }, (_, i) => String(i).padStart(4, "0"));
  const all = names.map((name) => run(Effect.flip(writes.write(put(name, { isOutcome: true })))));
  await Promise.all(all);
  seen.isAway = false;
  await run(writes.write(put("next")));
  expect(await written()).toHaveLength(1_001);
});

it("writes a transaction once when the database restarts it", async () => {
  const inner = openSqliteDatabase({ path: ":memory:" });
  const database: Database = {
    ...inner,
    write: async (script, options) => {
      const lost = inner.write(function* () {
        yield* script();
        throw new Error("a deadlock");
      });
      await lost.catch(() => {});
      return inner.write(script, options);
    },
  };
  const ledger = await createDurableLedger(database, { redactor: redactor({}), place: "memory" });
  for (const id of ["1", "2"]) {
    await run(ledger.open(createOpening(id)));
    await run(ledger.reserve(createKeyClaim(`key ${id}`, id)));
    await run(ledger.close(createClosing(id, { ran: true })));
  }
  expect(await run(ledger.entries({ ending: "executed" }))).toHaveLength(2);
  expect(await run(ledger.verify())).toMatchObject({ ok: true, rows: 6 });
  await ledger.end();
});

it("rejects all operations when the database cannot tell which one failed", async () => {
  const { isRefusal: _, ...inner } = openSqliteDatabase({ path: ":memory:" });
  const database: Database = {
    ...inner,
    write: () => Promise.reject(ledgerUnavailable("The database is away.")),
  };
  const writes = createGroupWriter(database, { keys: noChainKeys, owner: "owner", now: Date.now }, () => {});
  const errors = await Promise.all(["a", "b"].map((name) => run(Effect.flip(writes.write(put(name))))));
  expect(errors.map(({ message }) => message)).toEqual(["The database is away.", "The database is away."]);
});

it("retries kept outcomes twice at the end and reports lost ones", async () => {
  for (const [failures, reported] of [
    [1, undefined],
    [2, "The outcomes of 1 calls could not be written."],
  ] as const) {
    const { seen, written, writes } = await watched();
    seen.isAway = true;
    await run(Effect.flip(writes.write(put("outcome", { isOutcome: true }))));
    seen.failures = failures;
    const ending = writes.end().then(
      () => undefined,
      (error: Error) => error.message,
    );
    expect(await ending).toBe(reported);
    expect(await written()).toEqual(reported === undefined ? ["outcome"] : []);
  }
});

it("writes queued operations at the end and refuses later ones", async () => {
  const { written, writes } = await watched();
  const last = run(writes.write(put("a")));
  await writes.end();
  expect(await last).toBe("a");
  expect((await run(Effect.flip(writes.write(put("b"))))).message).toContain("was closed");
  expect(await written()).toEqual(["a"]);
});

const unheard = (error: LedgerError): void => {
  throw error;
};

it("writes operations of writeSoon together with the next write and before it", async () => {
  const { seen, writes } = await watched();
  const order: string[] = [];
  const noting = (name: string) =>
    put(name, {
      *run() {
        order.push(name);
        yield* put(name)().run(undefined as never);
        return name;
      },
    });
  writes.writeSoon(noting("first"), unheard);
  writes.writeSoon(noting("second"), unheard);
  await run(writes.write(noting("awaited")));
  expect([seen.writes, order]).toEqual([1, ["first", "second", "awaited"]]);
});

it("writes operations of writeSoon without a further write, and at the end", async () => {
  const { written, writes } = await watched();
  writes.writeSoon(put("a"), unheard);
  await waitFor(async () => expect(await written()).toEqual(["a"]));
  for (const n of Array.from({ length: 600 }, (_, i) => i)) writes.writeSoon(put(`b${n}`), unheard);
  await writes.end();
  expect(await written()).toHaveLength(601);
});

it("reports a failed operation of writeSoon and retries an outcome", async () => {
  const { seen, written, writes } = await watched();
  seen.isAway = true;
  const reported: string[] = [];
  writes.writeSoon(put("lost"), ({ message }) => reported.push(message));
  writes.writeSoon(put("outcome", { isOutcome: true }), ({ message }) => reported.push(message));
  await waitFor(() => expect(reported).toEqual(["The database is away.", "The database is away."]));
  seen.isAway = false;
  await waitFor(async () => expect(await written()).toEqual(["outcome"]));
});
