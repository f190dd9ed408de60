import { existsSync, readFileSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, it, vi } from "vitest";
import { tableVersion } from "../../src/ledger/durable/migrations.ts";
import { haft } from "./haft.ts";

const old = readFileSync(new URL("../fixtures/ledger-0.1.0.sqlite.sql", import.meta.url), "utf8");

const scratch = async (): Promise<string> =>
  join(await mkdtemp(join(tmpdir(), "haft-migrate-")), "ledger.db");

/** A file of 0.1.0, and the key that it was sealed with. */
const oldLedger = async (): Promise<string> => {
  const file = await scratch();
  const database = new DatabaseSync(file);
  database.exec(old);
  database.close();
  vi.stubEnv("HAFT_LEDGER_KEY", "01".repeat(32));
  return `sqlite:${file}`;
};

describe("haft ledger migrate", () => {
  it("migrates a file of 0.1.0, which other commands refuse without changing it", async () => {
    const place = await oldLedger();
    for (const words of [["log"], ["log", "--verify"], ["runs"], ["approvals"]]) {
      const looked = await haft([...words, "--ledger", place]);
      expect([words, looked.code, looked.error.includes("haft ledger migrate")]).toEqual([words, 1, true]);
    }
    const { code, out } = await haft(["ledger", "migrate", "--ledger", place]);
    expect([code, out]).toEqual([
      0,
      expect.stringContaining(`had version 1 and now have version ${tableVersion}`),
    ]);
    const verified = await haft(["log", "--verify", "--json", "--ledger", place]);
    expect([verified.code, JSON.parse(verified.out).keys.length]).toEqual([0, 1]);
    vi.unstubAllEnvs();
  });

  it("creates a missing ledger, and reports one that is up to date", async () => {
    const file = await scratch();
    const words = ["ledger", "migrate", "--ledger", `sqlite:${file}`];
    expect(await haft(words)).toMatchObject({ code: 0, out: expect.stringContaining("now has tables") });
    expect(existsSync(file)).toBe(true);
    expect((await haft(words)).out).toContain("is up to date");
    expect(await haft(["log", "--ledger", `sqlite:${file}`])).toMatchObject({
      code: 0,
      error: "No calls.\n",
    });
  });

  it.each([
    [["ledger", "migrate"], "memory has no tables"],
    [["ledger", "migrate", "now"], "accepts no operands"],
    [["ledger", "migrate", "--ledger", `sqlite:${tmpdir()}`], "is a folder"],
    [["ledger", "migrate", "--ledger", "mysql://x"], 'Unknown ledger "mysql"'],
    [
      ["ledger", "migrate", "--ledger", "postgres://nobody@127.0.0.1:1/x"],
      "no server listens at this address",
    ],
  ])("refuses %j with a remedy", async (words, why) => {
    const { code, error } = await haft(words);
    expect(code).not.toBe(0);
    expect(error).toContain(why);
  });

  it("prints its usage", async () => {
    expect((await haft(["ledger", "migrate", "--help"])).out).toContain("postgres://haft_owner@");
  });
});
