import { describe, expect, it } from "vitest";
import { claim, closing, opening, run } from "../../../../test/contracts/ledger/rows.ts";
import { masking, sqliteFolder } from "../../../../test/kit/sqlite-folder.ts";
import { waitFor } from "../../../../test/kit/wait-for.ts";
import { unavailable } from "../../refusals.ts";
import { sqliteDatabase } from "../../sqlite.ts";
import type { Database } from "../database.ts";
import { type DurableLedgerOptions, durableLedger } from "../durable-ledger.ts";

const { fresh, open, connect } = sqliteFolder();

const begin = { runId: "r", agent: "a", principal: undefined, messages: [], at: 1_000 };

/** Whoever has something open at a path has died by now, and nobody has noticed. */
const die = (path: string): void =>
  connect(path).exec(
    `UPDATE haft_owners SET owner = 'dead', pid = 99999999 WHERE owner IN (SELECT owner FROM haft_entries);
     UPDATE haft_entries SET owner = 'dead' WHERE ending = 'open'; UPDATE haft_runs SET owner = 'dead'`,
  );

/** Nobody looks after the others unless there is a reason. */
const seldom = { lookMs: 1_000_000_000, beatMs: 1_000_000_000 };

describe("of a process that died just now", () => {
  it("the key is found out to be nobody's as soon as somebody else needs it", async () => {
    const path = fresh();
    const first = await open(path);
    const next = await open(path, { times: seldom });
    await run(next.entries());
    await run(first.open(opening("1")));
    await run(first.reserve(claim("k", "1")));
    die(path);
    await run(next.open(opening("2")));
    expect(await run(next.reserve(claim("k", "2")))).toEqual({
      kind: "known",
      entryId: "1",
      ending: "unknown",
    });
  });

  it("the run is found out to be nobody's as soon as somebody claims it", async () => {
    const path = fresh();
    const first = await open(path);
    const next = await open(path, { times: seldom });
    await run(next.entries());
    await run(first.runs.begin(begin));
    await run(first.open(opening("1", { runId: "r", epoch: 1 })));
    die(path);
    expect(await run(next.runs.claim("r", 2_000))).toBe(3);
  });

  it("the calls stay as they are for a while to whoever only asks, because the question costs something", async () => {
    const path = fresh();
    const first = await open(path);
    const clock = { ms: 0 };
    const next = await open(path, { times: { lookMs: 100, monotonic: () => clock.ms } });
    await run(first.open(opening("1")));
    die(path);
    clock.ms += 99;
    expect(await run(next.entries())).toMatchObject([{ ending: "open" }]);
    clock.ms += 1;
    expect(await run(next.entries())).toMatchObject([{ ending: "unknown" }]);
  });
});

describe("where a server sees connections", () => {
  /** A database with a server that does not see those whom a test names. */
  const serving = async (
    path: string,
    gone: { names: readonly string[] },
    times: DurableLedgerOptions["times"],
  ) => {
    const database: Database = {
      ...sqliteDatabase({ path }),
      findGone: async (owners) => owners.filter((owner) => gone.names.includes(owner)),
    };
    return durableLedger(database, { redactor: masking, place: path, times });
  };
  const ownersAt = (path: string) =>
    connect(path)
      .prepare("SELECT owner FROM haft_owners")
      .all()
      .map(({ owner }) => String(owner));

  it("whoever claims a run waits until its owner's connection has had its time to come back", async () => {
    const path = fresh();
    const gone = { names: [] as readonly string[] };
    const first = await serving(path, gone, seldom);
    await run(first.runs.begin(begin));
    const owners = ownersAt(path);
    const next = await serving(path, gone, { ...seldom, returnMs: 5 });
    expect(await run(next.runs.claim("r", 2_000))).toBeUndefined();
    gone.names = owners;
    expect(await run(next.runs.claim("r", 2_000))).toBe(3);
    await first.end();
    await next.end();
  });

  it("whoever needs a key waits likewise, and hears what became of it", async () => {
    const path = fresh();
    const gone = { names: [] as readonly string[] };
    const first = await serving(path, gone, seldom);
    await run(first.open(opening("1")));
    await run(first.reserve(claim("k", "1")));
    const owners = ownersAt(path);
    const next = await serving(path, gone, { ...seldom, returnMs: 5 });
    await run(next.open(opening("2")));
    expect(await run(next.reserve(claim("k", "2")))).toMatchObject({ ending: "open" });
    gone.names = owners;
    expect(await run(next.reserve(claim("k", "2")))).toMatchObject({ ending: "unknown" });
    await first.end();
    await next.end();
  });

  it("nobody waits longer than three seconds for a connection that may come back: the lease decides then", async () => {
    const path = fresh();
    const gone = { names: [] as readonly string[] };
    const first = await serving(path, gone, seldom);
    await run(first.runs.begin(begin));
    gone.names = ownersAt(path);
    const clock = { ms: 0 };
    // Each look at the clock is four seconds later, so there is no second look at the server.
    const monotonic = () => {
      clock.ms += 4_000;
      return clock.ms;
    };
    const next = await serving(path, gone, { ...seldom, returnMs: 1_000_000, monotonic });
    expect(await run(next.runs.claim("r", 2_000))).toBeUndefined();
    await first.end();
    await next.end();
  });
});

it("a heartbeat takes no claim from whoever still has it", async () => {
  const path = fresh();
  const clock = { ms: 0 };
  const ledger = await open(path, { times: { monotonic: () => clock.ms } });
  await run(ledger.runs.begin(begin));
  let lost = 0;
  ledger.runs.watch("r", () => {
    lost += 1;
  });
  const beats = () => Number(connect(path).prepare("SELECT beats FROM haft_owners").get()?.beats);
  const before = beats();
  clock.ms += 15_001;
  await run(ledger.open(opening("1", { runId: "r", epoch: 1 })));
  await waitFor(async () => expect(await beats()).toBe(before + 1));
  await run(ledger.close(closing("1", { epoch: 1 })));
  expect(lost).toBe(0);
  await run(ledger.runs.end({ runId: "r", epoch: 1, status: "done", at: 2_000 }));
});

it("a store that could not take its leave is dead all the same to the others of its process", async () => {
  const path = fresh();
  const inner = sqliteDatabase({ path });
  let isAway = false;
  const database: Database = {
    ...inner,
    write: (script, options) =>
      isAway ? Promise.reject(unavailable("The database is away.")) : inner.write(script, options),
  };
  const first = await durableLedger(database, { redactor: masking, place: path });
  await run(first.open(opening("1")));
  isAway = true;
  await first.end();
  const next = await durableLedger(sqliteDatabase({ path }), { redactor: masking, place: path });
  expect(await run(next.entries())).toMatchObject([{ ending: "unknown" }]);
  await next.end();
});

it("whoever only reads finds calls by how they stand, with those of the dead among the unknown", async () => {
  const path = fresh();
  const first = await open(path);
  const ends = ["executed", "failed", "pending", "unknown"] as const;
  for (const ending of ends) {
    await run(first.open(opening(ending)));
    await run(first.close(closing(ending, { ending })));
  }
  await run(first.open(opening("under way")));
  const living = await open(path);
  await run(living.open(opening("alive")));
  const owner = String(
    connect(path).prepare("SELECT owner FROM haft_entries WHERE entry_id = 'under way'").get()?.owner,
  );
  connect(path).exec(
    `UPDATE haft_owners SET owner = 'dead', pid = 99999999 WHERE owner = '${owner}';
     UPDATE haft_entries SET owner = 'dead' WHERE owner = '${owner}'`,
  );
  const reader = await open(path, { readOnly: true });
  const found = async (ending?: (typeof ends)[number] | "open") =>
    (await run(reader.entries(ending === undefined ? {} : { ending }))).map(({ entryId }) => entryId);
  expect(await found()).toEqual([...ends, "under way", "alive"]);
  expect(await found("executed")).toEqual(["executed"]);
  expect(await found("failed")).toEqual(["failed"]);
  expect(await found("pending")).toEqual(["pending"]);
  expect(await found("unknown")).toEqual(["unknown", "under way"]);
  expect(await found("open")).toEqual(["alive"]);
  expect(await run(reader.recall("under way"))).toMatchObject({ entry: { ending: "unknown" } });
});
