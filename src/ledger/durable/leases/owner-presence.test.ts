import { describe, expect, it } from "vitest";
import {
  createClosing,
  createKeyClaim,
  createOpening,
  runLedgerEffect,
} from "../../../../test/contracts/ledger/ledger-fixtures.ts";
import { testMasking, useSqliteFolder } from "../../../../test/kit/use-sqlite-folder.ts";
import { waitFor } from "../../../../test/kit/wait-for.ts";
import { ledgerUnavailable } from "../../ledger-errors.ts";
import { openSqliteDatabase } from "../../sqlite-database.ts";
import type { Database } from "../database.ts";
import { createDurableLedger, type DurableLedgerOptions } from "../durable-ledger.ts";

const { fresh, open, connect } = useSqliteFolder();

const begin = { runId: "r", agent: "a", principal: undefined, messages: [], at: 1_000 };

/** Assigns what is open at a path to a dead process, which no store has noticed yet. */
const die = (path: string): void =>
  connect(path).exec(
    `UPDATE haft_owners SET owner = 'dead', pid = 99999999 WHERE owner IN (SELECT owner FROM haft_entries);
     UPDATE haft_entries SET owner = 'dead' WHERE ending = 'open'; UPDATE haft_runs SET owner = 'dead'`,
  );

/** No checks for dead owners without a reason. */
const seldom = { lookMs: 1_000_000_000, beatMs: 1_000_000_000 };

describe("process that has just died", () => {
  it("is detected when another call needs its key", async () => {
    const path = fresh();
    const first = await open(path);
    const next = await open(path, { times: seldom });
    await runLedgerEffect(next.entries());
    await runLedgerEffect(first.open(createOpening("1")));
    await runLedgerEffect(first.reserve(createKeyClaim("k", "1")));
    die(path);
    await runLedgerEffect(next.open(createOpening("2")));
    expect(await runLedgerEffect(next.reserve(createKeyClaim("k", "2")))).toEqual({
      kind: "known",
      entryId: "1",
      ending: "unknown",
    });
  });

  it("is detected when its run is claimed", async () => {
    const path = fresh();
    const first = await open(path);
    const next = await open(path, { times: seldom });
    await runLedgerEffect(next.entries());
    await runLedgerEffect(first.runs.begin(begin));
    await runLedgerEffect(first.open(createOpening("1", { runId: "r", epoch: 1 })));
    die(path);
    expect(await runLedgerEffect(next.runs.claim("r", 2_000))).toBe(3);
  });

  it("is detected by a query only after the look interval", async () => {
    const path = fresh();
    const first = await open(path);
    const clock = { ms: 0 };
    const next = await open(path, { times: { lookMs: 100, monotonic: () => clock.ms } });
    await runLedgerEffect(first.open(createOpening("1")));
    die(path);
    clock.ms += 99;
    expect(await runLedgerEffect(next.entries())).toMatchObject([{ ending: "open" }]);
    clock.ms += 1;
    expect(await runLedgerEffect(next.entries())).toMatchObject([{ ending: "unknown" }]);
  });
});

describe("server that sees connections", () => {
  /** A database whose server does not see the named connections. */
  const serving = async (
    path: string,
    gone: { names: readonly string[] },
    times: DurableLedgerOptions["times"],
  ) => {
    const database: Database = {
      ...openSqliteDatabase({ path }),
      findGone: async (owners) => owners.filter((owner) => gone.names.includes(owner)),
    };
    return createDurableLedger(database, { redactor: testMasking, place: path, times });
  };
  const ownersAt = (path: string) =>
    connect(path)
      .prepare("SELECT owner FROM haft_owners")
      .all()
      .map(({ owner }) => String(owner));

  it("waits for the return time of the owner's connection before a run is claimed", async () => {
    const path = fresh();
    const gone = { names: [] as readonly string[] };
    const first = await serving(path, gone, seldom);
    await runLedgerEffect(first.runs.begin(begin));
    const owners = ownersAt(path);
    const next = await serving(path, gone, { ...seldom, returnMs: 5 });
    expect(await runLedgerEffect(next.runs.claim("r", 2_000))).toBeUndefined();
    gone.names = owners;
    expect(await runLedgerEffect(next.runs.claim("r", 2_000))).toBe(3);
    await first.end();
    await next.end();
  });

  it("waits for the return time before a key is reserved, and reports the unknown ending", async () => {
    const path = fresh();
    const gone = { names: [] as readonly string[] };
    const first = await serving(path, gone, seldom);
    await runLedgerEffect(first.open(createOpening("1")));
    await runLedgerEffect(first.reserve(createKeyClaim("k", "1")));
    const owners = ownersAt(path);
    const next = await serving(path, gone, { ...seldom, returnMs: 5 });
    await runLedgerEffect(next.open(createOpening("2")));
    expect(await runLedgerEffect(next.reserve(createKeyClaim("k", "2")))).toMatchObject({ ending: "open" });
    gone.names = owners;
    expect(await runLedgerEffect(next.reserve(createKeyClaim("k", "2")))).toMatchObject({
      ending: "unknown",
    });
    await first.end();
    await next.end();
  });

  it("waits at most three seconds for a connection and then relies on the lease", async () => {
    const path = fresh();
    const gone = { names: [] as readonly string[] };
    const first = await serving(path, gone, seldom);
    await runLedgerEffect(first.runs.begin(begin));
    gone.names = ownersAt(path);
    const clock = { ms: 0 };
    // Each reading of the clock is four seconds later, so the server is asked only once.
    const monotonic = () => {
      clock.ms += 4_000;
      return clock.ms;
    };
    const next = await serving(path, gone, { ...seldom, returnMs: 1_000_000, monotonic });
    expect(await runLedgerEffect(next.runs.claim("r", 2_000))).toBeUndefined();
    await first.end();
    await next.end();
  });
});

it("keeps the claims of a live owner at a heartbeat", async () => {
  const path = fresh();
  const clock = { ms: 0 };
  const ledger = await open(path, { times: { monotonic: () => clock.ms } });
  await runLedgerEffect(ledger.runs.begin(begin));
  let lost = 0;
  ledger.runs.watch("r", () => {
    lost += 1;
  });
  const beats = () => Number(connect(path).prepare("SELECT beats FROM haft_owners").get()?.beats);
  const before = beats();
  clock.ms += 15_001;
  await runLedgerEffect(ledger.open(createOpening("1", { runId: "r", epoch: 1 })));
  await waitFor(async () => expect(await beats()).toBe(before + 1));
  await runLedgerEffect(ledger.close(createClosing("1", { epoch: 1 })));
  expect(lost).toBe(0);
  await runLedgerEffect(ledger.runs.end({ runId: "r", epoch: 1, status: "done", at: 2_000 }));
});

it("treats a store that could not deregister as dead in its own process", async () => {
  const path = fresh();
  const inner = openSqliteDatabase({ path });
  let isAway = false;
  const database: Database = {
    ...inner,
    write: (script, options) =>
      isAway ? Promise.reject(ledgerUnavailable("The database is away.")) : inner.write(script, options),
  };
  const first = await createDurableLedger(database, { redactor: testMasking, place: path });
  await runLedgerEffect(first.open(createOpening("1")));
  isAway = true;
  await first.end();
  const next = await createDurableLedger(openSqliteDatabase({ path }), {
    redactor: testMasking,
    place: path,
  });
  expect(await runLedgerEffect(next.entries())).toMatchObject([{ ending: "unknown" }]);
  await next.end();
});

it("finds entries by ending in a read-only ledger, with those of dead owners as unknown", async () => {
  const path = fresh();
  const first = await open(path);
  const ends = ["executed", "failed", "pending", "unknown"] as const;
  for (const ending of ends) {
    await runLedgerEffect(first.open(createOpening(ending)));
    await runLedgerEffect(first.close(createClosing(ending, { ending })));
  }
  await runLedgerEffect(first.open(createOpening("under way")));
  const living = await open(path);
  await runLedgerEffect(living.open(createOpening("alive")));
  const owner = String(
    connect(path).prepare("SELECT owner FROM haft_entries WHERE entry_id = 'under way'").get()?.owner,
  );
  connect(path).exec(
    `UPDATE haft_owners SET owner = 'dead', pid = 99999999 WHERE owner = '${owner}';
     UPDATE haft_entries SET owner = 'dead' WHERE owner = '${owner}'`,
  );
  const reader = await open(path, { readOnly: true });
  const found = async (ending?: (typeof ends)[number] | "open") =>
    (await runLedgerEffect(reader.entries(ending === undefined ? {} : { ending }))).map(
      ({ entryId }) => entryId,
    );
  expect(await found()).toEqual([...ends, "under way", "alive"]);
  expect(await found("executed")).toEqual(["executed"]);
  expect(await found("failed")).toEqual(["failed"]);
  expect(await found("pending")).toEqual(["pending"]);
  expect(await found("unknown")).toEqual(["unknown", "under way"]);
  expect(await found("open")).toEqual(["alive"]);
  expect(await runLedgerEffect(reader.recall("under way"))).toMatchObject({ entry: { ending: "unknown" } });
});
