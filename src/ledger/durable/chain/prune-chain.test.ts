import { readdirSync, utimesSync, writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { asked, closing, ledgerSecret, opening, run, wait } from "../../../../test/contracts/ledger/rows.ts";
import { masking, sqliteFolder } from "../../../../test/kit/sqlite-folder.ts";
import type { DurableLedger } from "../../../words/durable-ledger.ts";
import { sqliteDatabase } from "../../sqlite.ts";
import type { Database, ReclaimOptions } from "../database.ts";
import { durableLedger } from "../durable-ledger.ts";

const { fresh, open } = sqliteFolder();
const far = Date.now() + 1_000_000;

const pair = async (ledger: DurableLedger, id: string): Promise<void> => {
  await run(ledger.open(opening(id)));
  await run(ledger.close(closing(id)));
};

describe("the space of what was pruned", () => {
  /** A database that gives a hundred bytes back each time it is asked. */
  const counted = async (pairs: number) => {
    const asks: ReclaimOptions[] = [];
    const database: Database = {
      ...sqliteDatabase({ path: ":memory:" }),
      reclaim: async (options) => {
        asks.push(options);
        return { freedBytes: 100, unreturnedBytes: 7 };
      },
    };
    const ledger = await durableLedger(database, { redactor: masking, place: "memory" });
    await Promise.all(Array.from({ length: pairs }, (_, i) => pair(ledger, String(i))));
    return { ledger, asks };
  };

  it("is given back now and then while there is much of it and once more at the end, and all of it is told", async () => {
    const { ledger, asks } = await counted(1_400);
    const pruned = await run(ledger.prune(far));
    expect(pruned).toMatchObject({ rows: 2_800, entries: 1_400, isComplete: true, unreturnedBytes: 7 });
    expect(asks.length).toBeGreaterThan(1);
    expect(asks.map(({ isLast }) => isLast)).toEqual([...asks.slice(1).map(() => false), true]);
    expect(pruned.freedBytes).toBe(100 * asks.length);
    await ledger.end();
  });

  it("is not asked for where nothing was pruned, unless the file is to be rewritten", async () => {
    const { ledger, asks } = await counted(1);
    expect(await run(ledger.prune(0))).toMatchObject({ rows: 0, freedBytes: 0, unreturnedBytes: 0 });
    expect(asks).toEqual([]);
    expect(await run(ledger.prune(0, { rewrite: true }))).toMatchObject({ rows: 0, freedBytes: 100 });
    expect(asks).toMatchObject([{ isLast: true, rewrite: true }]);
    await ledger.end();
  });
});

describe("files that are too long for a row", () => {
  const long = JSON.stringify(ledgerSecret.repeat(20_000));
  const start = { agent: "a", principal: undefined, messages: [], at: 1_000 };

  it("stay as long as a row names them, and what a process left that died is swept up an hour later", async () => {
    const path = fresh();
    const ledger = await open(path);
    await run(ledger.runs.begin({ ...start, runId: "r" }));
    await run(ledger.open(opening("1", { runId: "r", epoch: 1, input: long })));
    const folder = `${path}.blobs`;
    const [named] = readdirSync(folder);
    const old = "0".repeat(36);
    const young = "1".repeat(36);
    const others = ["notes.txt", "2".repeat(37)];
    const hoursAgo = new Date(Date.now() - 2 * 3_600_000);
    for (const file of [old, young, ...others]) writeFileSync(`${folder}/${file}`, "");
    for (const file of [named, old, ...others]) utimesSync(`${folder}/${file}`, hoursAgo, hoursAgo);
    await run(ledger.prune(far));
    expect(readdirSync(folder).toSorted()).toEqual([named, young, ...others].toSorted());
    expect((await run(ledger.recall("1")))?.input).toBe(long);
  });

  it("go with the calls and the conversations that are pruned", async () => {
    const path = fresh();
    const ledger = await open(path, { keepPayloads: true });
    const messages = [{ role: "user", content: long }] as const;
    await run(ledger.runs.begin({ ...start, messages, runId: "r" }));
    await run(ledger.open(opening("1", { runId: "r", epoch: 1, input: long })));
    await run(ledger.close(closing("1", { result: long, epoch: 1 })));
    await run(ledger.runs.end({ runId: "r", epoch: 1, status: "done", at: 2_000 }));
    expect(readdirSync(`${path}.blobs`)).toHaveLength(3);
    expect(await run(ledger.prune(far))).toMatchObject({ entries: 1, payloads: 2 });
    expect(readdirSync(`${path}.blobs`)).toEqual([]);
  });
});

describe("of what a person put in place of the arguments", () => {
  const edited = async (input: unknown, expiresAt?: number) => {
    const ledger = await open(fresh());
    await wait(ledger, asked("a", "1", { expiresAt }));
    const answered = await run(
      ledger.approvals.answer("a", { decision: { kind: "edit", input }, at: 2_000 }),
    );
    await run(ledger.close(closing("1", { ending: "unknown", result: undefined })));
    return [answered, (await run(ledger.prune(far))).payloads];
  };

  it("nothing is sealed besides where all of it may be shown", async () => {
    expect(await edited({ city: "Bergen" })).toEqual(["answered", 0]);
  });

  it("the exact text is sealed where it may not be shown, and not where it came too late", async () => {
    expect(await edited({ city: ledgerSecret })).toEqual(["answered", 1]);
    expect(await edited({ city: ledgerSecret }, 1_500)).toEqual(["expired", 0]);
  });
});
