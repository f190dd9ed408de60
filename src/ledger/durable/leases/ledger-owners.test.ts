import { expect, it } from "vitest";
import { runLedgerEffect, runToLedgerError } from "../../../../test/contracts/ledger/ledger-fixtures.ts";
import { createClosing, createOpening } from "../../../../test/contracts/ledger-contract.ts";
import { testMasking, useSqliteFolder } from "../../../../test/kit/use-sqlite-folder.ts";
import { waitFor } from "../../../../test/kit/wait-for.ts";
import type { DurableLedger } from "../../../types/durable-ledger.ts";
import { openSqliteDatabase } from "../../sqlite-database.ts";
import { createDurableLedger, type DurableLedgerOptions } from "../durable-ledger.ts";
import { currentProcessIdentity, isProcessAlive } from "./process-identity.ts";

const { fresh, connect } = useSqliteFolder();

const at = (path: string, times: DurableLedgerOptions["times"], now = () => 1_000): Promise<DurableLedger> =>
  createDurableLedger(openSqliteDatabase({ path }), { redactor: testMasking, place: path, now, times });

/** A clock that the test advances. */
const stopped = () => {
  const clock = { ms: 0 };
  return { clock, times: { monotonic: () => clock.ms, beatMs: 1_000_000_000, lookMs: 0 } };
};

/** Assigns what is open at a path to another owner with one heartbeat. */
const giveTo = (
  path: string,
  owner: string,
  born: Partial<ReturnType<typeof currentProcessIdentity>>,
  heartbeat = 0,
) => {
  const { host, pid, thread, born: since } = { ...currentProcessIdentity(), ...born };
  const other = connect(path);
  other.exec(`UPDATE haft_entries SET owner = '${owner}' WHERE ending = 'open'`);
  other.exec(`UPDATE haft_runs SET owner = '${owner}' WHERE owner IS NOT NULL`);
  other
    .prepare(
      "INSERT INTO haft_owners (owner, host, pid, thread, born, heartbeat, beats) VALUES (?, ?, ?, ?, ?, ?, 1)",
    )
    .run(owner, host, pid, thread, since, heartbeat);
  other.close();
};

const elsewhere = { host: "another-machine another-boot pid:[1]" };
const another = { host: `${currentProcessIdentity().host.split(" ").slice(0, 2).join(" ")} pid:[1]` };
const endingOf = async (ledger: DurableLedger) => (await runLedgerEffect(ledger.entries()))[0]?.ending;

it.each([
  ["in this thread without an open store", {}],
  ["whose process number another process has", { born: "long ago" }],
  ["whose process number no process has", { pid: 99_999_999 }],
] as const)("declares an owner %s dead at once", async (_, born) => {
  const path = fresh();
  const first = await at(path, {});
  await runLedgerEffect(first.open(createOpening("1")));
  giveTo(path, "other", born);
  const next = await at(path, {});
  expect(await endingOf(next)).toBe("unknown");
  await first.end();
  await next.end();
});

it.each([
  ["on another machine", elsewhere],
  ["in another pid namespace", another],
  ["in another thread of this process", { thread: 77 }],
] as const)("declares an owner %s dead after a minute of silence by the local clock", async (_, born) => {
  const path = fresh();
  const first = await at(path, {});
  await runLedgerEffect(first.open(createOpening("1")));
  // The time of its heartbeat is an hour behind, which proves nothing.
  giveTo(path, "other", born, 1_000 - 3_600_000);
  const { clock, times } = stopped();
  const next = await at(path, times);
  expect(await endingOf(next)).toBe("open");
  clock.ms += 60_000;
  expect(await endingOf(next)).toBe("open");
  connect(path).exec("UPDATE haft_owners SET beats = beats + 1 WHERE owner = 'other'");
  clock.ms += 1;
  expect(await endingOf(next)).toBe("open");
  clock.ms += 60_000;
  expect(await endingOf(next)).toBe("open");
  clock.ms += 1;
  expect(await endingOf(next)).toBe("unknown");
  await first.end();
  await next.end();
});

it("declares no owner dead when the local wall clock is ahead", async () => {
  const path = fresh();
  const first = await at(path, {});
  await runLedgerEffect(first.open(createOpening("1")));
  giveTo(path, "other", elsewhere, 1_000);
  const next = await at(path, {}, () => 1_000_000_000);
  expect(await endingOf(next)).toBe("open");
  await first.end();
  await next.end();
});

it("finds twenty dead owners with one query and removes them", async () => {
  const path = fresh();
  const first = await at(path, {});
  for (let n = 0; n < 20; n++) giveTo(path, `dead-${n}`, { pid: 99_999_999 });
  const database = openSqliteDatabase({ path });
  let reads = 0;
  const counted = {
    ...database,
    read: (script: Parameters<typeof database.read>[0]) => {
      reads += 1;
      return database.read(script);
    },
  } as typeof database;
  const next = await createDurableLedger(counted, { redactor: testMasking, place: path });
  expect(reads).toBe(1);
  expect(connect(path).prepare("SELECT count(*) AS n FROM haft_owners").get()).toEqual({ n: 2 });
  await first.end();
  await next.end();
});

it("writes a late heartbeat together with the next call", async () => {
  const path = fresh();
  const { clock, times } = stopped();
  const slow = await at(path, { ...times, beatMs: 10_000 });
  const beats = () => connect(path).prepare("SELECT beats FROM haft_owners").get();
  const before = Number(beats()?.beats);
  await runLedgerEffect(slow.open(createOpening("1")));
  expect(beats()).toEqual({ beats: before });
  clock.ms += 15_001;
  await runLedgerEffect(slow.open(createOpening("2")));
  expect(beats()).toEqual({ beats: before + 1 });
  await slow.end();
});

it("marks an entry as unknown that was reopened together with a heartbeat of a dead process", async () => {
  const path = fresh();
  const { clock, times } = stopped();
  const first = await at(path, { ...times, beatMs: 10_000 });
  await runLedgerEffect(first.open(createOpening("old")));
  await runLedgerEffect(first.close(createClosing("old", { ending: "unknown" })));
  for (const id of ["1", "2"]) {
    await runLedgerEffect(first.open(createOpening(id)));
    await runLedgerEffect(first.close(createClosing(id)));
  }
  clock.ms += 15_001;
  // The heartbeat and the reopened entry are in one transaction.
  await Promise.all([
    runLedgerEffect(first.open(createOpening("old"))),
    runLedgerEffect(first.open(createOpening("3"))),
  ]);
  giveTo(path, "other", { pid: 99_999_999 });
  const next = await at(path, {});
  expect((await runLedgerEffect(next.entries({ ending: "unknown" }))).map(({ entryId }) => entryId)).toEqual([
    "old",
    "3",
  ]);
  await first.end();
  await next.end();
});

const begin = { runId: "r", agent: "a", principal: undefined, messages: [], at: 1_000 };

it("loses its claims at the next heartbeat after it was declared dead, and can start new runs", async () => {
  const path = fresh();
  const { clock, times } = stopped();
  const slow = await at(path, { ...times, beatMs: 10_000 });
  await runLedgerEffect(slow.runs.begin(begin));
  await runLedgerEffect(slow.open(createOpening("1", { runId: "r", epoch: 1 })));
  let lost = 0;
  slow.runs.watch("r", () => {
    lost += 1;
  });
  // Another store declares it dead because its process is not visible there.
  const owner = String(connect(path).prepare("SELECT owner FROM haft_owners").get()?.owner);
  connect(path).exec(`UPDATE haft_owners SET pid = 99999999, thread = 5 WHERE owner = '${owner}'`);
  const registered = (globalThis as { [key: symbol]: Set<string> })[Symbol.for("haft/ledger-owners")]!;
  registered.delete(owner);
  const next = await at(path, {});
  expect(await runLedgerEffect(next.entries())).toMatchObject([{ entryId: "1", ending: "unknown" }]);
  const epoch = (await runLedgerEffect(next.runs.claim("r", 2_000)))!;
  expect(epoch).toBeGreaterThan(1);
  expect(lost).toBe(0);

  clock.ms += 15_001;
  await runLedgerEffect(slow.open(createOpening("2")));
  await waitFor(() => expect(lost).toBe(1));
  const count = connect(path).prepare("SELECT count(*) AS n FROM haft_owners").get();
  expect(count).toEqual({ n: 2 });
  expect(await runToLedgerError(slow.close(createClosing("1", { epoch: 1 })))).toMatchObject({
    code: "claim_lost",
  });
  expect(
    await runToLedgerError(slow.runs.end({ runId: "r", epoch: 1, status: "done", at: 3_000 })),
  ).toMatchObject({
    code: "claim_lost",
  });
  expect(await runLedgerEffect(slow.runs.begin({ ...begin, runId: "new" }))).toBe(1);
  await runLedgerEffect(slow.open(createOpening("3", { runId: "new", epoch: 1 })));
  await runLedgerEffect(next.runs.end({ runId: "r", epoch, status: "done", at: 3_000 }));
  expect(lost).toBe(1);
  expect(await runLedgerEffect(next.verify())).toMatchObject({ ok: true });
  await slow.end();
  await next.end();
});

it("marks entries of an owner as unknown that was declared dead and never came back", async () => {
  const path = fresh();
  const first = await at(path, {});
  await runLedgerEffect(first.open(createOpening("1")));
  await runLedgerEffect(first.runs.begin(begin));
  connect(path).exec(
    "DELETE FROM haft_owners; UPDATE haft_entries SET owner = 'gone'; UPDATE haft_runs SET owner = 'gone'",
  );
  const { clock, times } = stopped();
  const next = await at(path, times);
  expect(await endingOf(next)).toBe("open");
  expect(await runLedgerEffect(next.runs.claim("r", 2_000))).toBeUndefined();
  clock.ms += 60_001;
  expect(await endingOf(next)).toBe("unknown");
  expect(await runLedgerEffect(next.runs.claim("r", 2_000))).toBe(3);
  await first.end();
  await next.end();
});

it("finds this process alive, and cannot judge a process of another machine", () => {
  expect(isProcessAlive(currentProcessIdentity(), true)).toBe(true);
  expect(isProcessAlive({ ...currentProcessIdentity(), pid: process.ppid, born: "" }, false)).toBe(
    process.platform === "linux" ? false : undefined,
  );
  expect(isProcessAlive({ ...currentProcessIdentity(), ...elsewhere }, false)).toBeUndefined();
});

it.runIf(process.platform === "linux")("recognizes a renamed machine", () => {
  const [, ...rest] = currentProcessIdentity().host.split(" ");
  expect(
    isProcessAlive(
      { ...currentProcessIdentity(), host: ["renamed", ...rest].join(" "), pid: 99_999_999 },
      false,
    ),
  ).toBe(false);
});
