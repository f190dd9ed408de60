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

/** Counts its transactions, and is broken whenever somebody says so. */
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

it("what comes together is written together, and each is told its own result", async () => {
  const { seen, written, writes } = await watched();
  const names = Array.from({ length: 50 }, (_, i) => String(i).padStart(2, "0"));
  expect(await Promise.all(names.map((name) => run(writes.write(put(name)))))).toEqual(names);
  expect(seen.writes).toBe(1);
  expect(await written()).toEqual(names);
});

it("what comes while a transaction is written goes into the next one", async () => {
  const { seen, writes } = await watched();
  const first = run(writes.write(put("a")));
  await Promise.resolve();
  const rest = ["b", "c", "d"].map((name) => run(writes.write(put(name))));
  await Promise.all([first, ...rest]);
  expect(seen.writes).toBe(2);
});

it("one that must survive a power cut takes its whole transaction along", async () => {
  const { seen, writes } = await watched();
  await Promise.all([run(writes.write(put("a"))), run(writes.write(put("b", { full: true })))]);
  expect(seen).toMatchObject({ writes: 1, full: 1 });
});

it("one that refuses does not keep the others from being written", async () => {
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

it("one whose value the database refuses fails alone", async () => {
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

it("one that breaks fails alone too", async () => {
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

it("while the database is away everybody is told, and outcomes are written once it is back", async () => {
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

it("of more outcomes than can be kept the last are lost, and say so at once like the rest", async () => {
  const { seen, written, writes } = await watched();
  seen.isAway = true;
  const names = Array.from({ length: 1_010 }, (_, i) => String(i).padStart(4, "0"));
  const all = names.map((name) => run(Effect.flip(writes.write(put(name, { isOutcome: true })))));
  await Promise.all(all);
  seen.isAway = false;
  await run(writes.write(put("next")));
  expect(await written()).toHaveLength(1_001);
});

it("a transaction that the database starts over is written once, and means the same", async () => {
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

it("a database that cannot tell whose fault it was is away for everybody, and everybody is told", async () => {
  const { isRefusal: _, ...inner } = openSqliteDatabase({ path: ":memory:" });
  const database: Database = {
    ...inner,
    write: () => Promise.reject(ledgerUnavailable("The database is away.")),
  };
  const writes = createGroupWriter(database, { keys: noChainKeys, owner: "owner", now: Date.now }, () => {});
  const errors = await Promise.all(["a", "b"].map((name) => run(Effect.flip(writes.write(put(name))))));
  expect(errors.map(({ message }) => message)).toEqual(["The database is away.", "The database is away."]);
});

it("outcomes that were kept are tried twice more at the end, and whoever ends is told if they are lost", async () => {
  for (const [failures, told] of [
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
    expect(await ending).toBe(told);
    expect(await written()).toEqual(told === undefined ? ["outcome"] : []);
  }
});

it("at the end what waits is written, and nothing after that", async () => {
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

it("what nobody waits for goes with the next write, and before it", async () => {
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

it("what nobody waits for is written by itself where nothing follows, and at the end", async () => {
  const { written, writes } = await watched();
  writes.writeSoon(put("a"), unheard);
  await waitFor(async () => expect(await written()).toEqual(["a"]));
  for (const n of Array.from({ length: 600 }, (_, i) => i)) writes.writeSoon(put(`b${n}`), unheard);
  await writes.end();
  expect(await written()).toHaveLength(601);
});

it("of what nobody waits for somebody hears why it could not be written, and an outcome is tried again", async () => {
  const { seen, written, writes } = await watched();
  seen.isAway = true;
  const told: string[] = [];
  writes.writeSoon(put("lost"), ({ message }) => told.push(message));
  writes.writeSoon(put("outcome", { isOutcome: true }), ({ message }) => told.push(message));
  await waitFor(() => expect(told).toEqual(["The database is away.", "The database is away."]));
  seen.isAway = false;
  await waitFor(async () => expect(await written()).toEqual(["outcome"]));
});
