import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { Haft, type LedgerStore, tool } from "haft";
import { openLedger } from "haft/ledger";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { redactor } from "../../src/base/json/redact.ts";
import { createDurableLedger } from "../../src/ledger/durable/durable-ledger.ts";
import { readOrCreateKeyFile } from "../../src/ledger/durable/payloads/key-file.ts";
import { openSqliteDatabase } from "../../src/ledger/sqlite-database.ts";
import { type PostgresServer, startPostgres } from "./kit/start-postgres.ts";

const folder = mkdtempSync(join(tmpdir(), "haft-faults-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const openWith = async (ledger: string | LedgerStore) => {
  const ran: number[] = [];
  const pay = tool({
    name: "pay",
    description: "Counts what took effect",
    input: { type: "object", properties: { n: { type: "number" } }, required: ["n"] } as const,
    run: async ({ n }) => {
      ran.push(n);
      return { paid: n, receipt: "r".repeat(2_000) };
    },
  });
  const haft = await Haft.open({ tools: [pay], principal: { agent: "clerk", allow: ["*"] }, ledger });
  const call = (n: number) =>
    haft.call("pay", { n }).then(
      () => "ok",
      (error: { readonly code: string; readonly message: string }) => `${error.code}: ${error.message}`,
    );
  return { haft, ran, call };
};

/** Every executed call is recorded, whatever its caller received, and the chain is valid. */
const expectNothingLost = async (place: string, ran: readonly number[]): Promise<void> => {
  const ledger = await openLedger(place);
  try {
    const entries = await ledger.entries({ tool: "pay" });
    const numbers = entries
      .filter(({ ending }) => ending === "executed")
      .map(({ input }) => JSON.parse(input).n);
    expect(numbers.toSorted((a, b) => a - b)).toEqual(ran.toSorted((a, b) => a - b));
    expect(new Set(ran).size).toBe(ran.length);
    expect(await ledger.verify()).toMatchObject({ ok: true });
  } finally {
    await ledger.end();
  }
};

describe("SQLite ledger", () => {
  it("waits for a lock that another process holds for five seconds, and loses nothing", async () => {
    const file = join(folder, "locked.db");
    const { haft, ran, call } = await openWith(`sqlite:${file}`);
    expect(await call(0)).toBe("ok");
    const other = new DatabaseSync(file);
    other.exec("BEGIN IMMEDIATE");
    const calls = [1, 2, 3].map(call);
    // allow-sleep: the ledger waits for a lock that is held for five seconds
    await new Promise((resolve) => setTimeout(resolve, 5_000));
    expect(ran).toEqual([0]);
    other.exec("COMMIT");
    other.close();
    expect(await Promise.all(calls)).toEqual(["ok", "ok", "ok"]);
    await haft.close();
    await expectNothingLost(`sqlite:${file}`, ran);
  });

  it("rejects calls while it is full, and continues when there is space again", async () => {
    const file = join(folder, "full.db");
    const database = openSqliteDatabase({ path: file });
    const keys = readOrCreateKeyFile(`${file}.key`);
    const store = await createDurableLedger(database, {
      redactor: redactor(),
      place: `sqlite:${file}`,
      keys,
    });
    const setMost = (pages: number) =>
      database.write(function* () {
        yield { sql: `PRAGMA max_page_count = ${pages}`, values: [] };
      });
    const { haft, ran, call } = await openWith(store);
    expect(await call(0)).toBe("ok");
    await setMost(1);
    const answers: string[] = [];
    for (let n = 1; n <= 60; n++) answers.push(await call(n));
    const refused = answers.filter((answer) => answer.startsWith("ledger_unavailable"));
    expect(refused.length).toBeGreaterThan(30);
    expect(refused[0]).toMatch(/recorded/);
    const before = ran.length;
    expect(await call(61)).toMatch(/cannot run because calls cannot be recorded right now/);
    expect(ran.length).toBe(before);
    await setMost(100_000);
    expect(await call(62)).toBe("ok");
    await haft.close();
    await store.end();
    await expectNothingLost(`sqlite:${file}`, ran);
  });

  it("rejects calls on a full disk, and continues after the disk grows", async (test) => {
    const disk = join(folder, "disk");
    mkdirSync(disk);
    try {
      execFileSync("mount", ["-t", "tmpfs", "-o", "size=512k", "tmpfs", disk], { stdio: "ignore" });
    } catch {
      return test.skip("mounting is not permitted here");
    }
    try {
      const { haft, ran, call } = await openWith(`sqlite:${join(disk, "ledger.db")}`);
      const answers: string[] = [];
      for (let n = 0; n < 300 && !answers.at(-1)?.includes("cannot run"); n++) answers.push(await call(n));
      expect(answers.at(-1)).toMatch(/cannot run because calls cannot be recorded right now/);
      const before = ran.length;
      await call(1_000);
      expect(ran.length).toBe(before);
      execFileSync("mount", ["-o", "remount,size=16m", disk], { stdio: "ignore" });
      expect(await call(1_001)).toBe("ok");
      await haft.close();
      await expectNothingLost(`sqlite:${join(disk, "ledger.db")}`, ran);
    } finally {
      execFileSync("umount", ["-l", disk], { stdio: "ignore" });
    }
  });

  it("is rejected at open when its file is read-only", async (test) => {
    const place = join(folder, "read-only");
    mkdirSync(place);
    const file = join(place, "ledger.db");
    await (await openWith(`sqlite:${file}`)).haft.close();
    const isRoot = process.getuid?.() === 0;
    try {
      // Root ignores file modes, so the file is made immutable.
      if (isRoot) execFileSync("chattr", ["+i", file], { stdio: "ignore" });
      else chmodSync(file, 0o400);
    } catch {
      return test.skip("files cannot be made read-only for root here");
    }
    try {
      await expect(openWith(`sqlite:${file}`)).rejects.toThrow(/cannot be (written to|opened)/);
    } finally {
      if (isRoot) execFileSync("chattr", ["-i", file], { stdio: "ignore" });
    }
  });

  it("is rejected with a remedy when its file is not a database", async () => {
    const file = join(folder, "garbage.db");
    writeFileSync(file, "not a database".repeat(100));
    await expect(openWith(`sqlite:${file}`)).rejects.toThrow(/is not a ledger, or it is damaged. Restore it/);
  });
});

describe("PostgreSQL ledger", () => {
  let postgres: PostgresServer;
  beforeAll(async () => {
    postgres = await startPostgres();
  });
  afterAll(() => postgres?.stop());

  it("loses and repeats nothing when the server restarts during calls", async () => {
    const place = await postgres.createDatabase("faults");
    const { haft, ran, call } = await openWith(place);
    expect(await call(0)).toBe("ok");
    let isOver = false;
    let next = 1;
    const lane = async (): Promise<string[]> => {
      const answers: string[] = [];
      while (!isOver) answers.push(await call(next++));
      return answers;
    };
    const lanes = Array.from({ length: 4 }, lane);
    for (let times = 0; times < 2; times++) await postgres.restart();
    isOver = true;
    const answers = (await Promise.all(lanes)).flat();
    expect(answers.filter((answer) => answer !== "ok")).toEqual([]);
    await haft.close();
    await expectNothingLost(place, ran);
  });
});
