import { randomBytes } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Haft, tool } from "haft";
import { openLedger } from "haft/ledger";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

let folder = "";
let place = "";
let keyFile = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "haft-keys-"));
  place = `sqlite:${join(folder, "ledger.db")}`;
  keyFile = join(folder, "ledger.db.key");
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** A call whose arguments are sealed because they contain a secret. */
const callOnce = async (password: string): Promise<void> => {
  const login = tool({
    name: "login",
    description: "Logs in",
    input: { type: "object", properties: { password: { type: "string" } } } as const,
    run: () => "in",
  });
  const haft = (await Haft.open({
    tools: [login],
    principal: { agent: "clerk", allow: ["*"] },
    ledger: place,
    config: { ledger: { keepPayloads: true } },
  })) as Haft;
  await haft.call("login", { password });
  await haft.close();
};

const look = async (options?: Parameters<typeof openLedger>[1]) => {
  const ledger = await openLedger(place, options);
  try {
    const found = await ledger.verify();
    const entries = await ledger.entries();
    const inputs = [];
    for (const { entryId } of entries) inputs.push((await ledger.recall(entryId))?.input);
    return { ...found, inputs };
  } finally {
    await ledger.end();
  }
};

const rotateFile = (): void => {
  const old = readFileSync(keyFile, "utf8");
  writeFileSync(keyFile, `${randomBytes(32).toString("base64")}\n${old}`, { mode: 0o600 });
};

describe("the key file of a SQLite ledger", () => {
  it("with a new first line: new rows and texts use the new key, and the old key verifies the older ones", async () => {
    await callOnce("first");
    const old = readFileSync(keyFile, "utf8");
    rotateFile();
    await callOnce("second");
    const { ok, keys, inputs } = await look();
    expect(ok).toBe(true);
    expect(keys).toMatchObject([
      { isHere: true, from: 1 },
      { isHere: true, to: 5 },
    ]);
    expect(inputs).toEqual(['{"password":"first"}', '{"password":"second"}']);
    const [newLine] = readFileSync(keyFile, "utf8").split("\n");
    const asOption = await look({ key: `${newLine},${old.trim()}` });
    expect(asOption.ok).toBe(true);
  });

  it("without its old line: old rows are reported with the missing key, and new calls are recorded", async () => {
    await callOnce("first");
    rotateFile();
    await callOnce("second");
    const [newLine] = readFileSync(keyFile, "utf8").split("\n");
    writeFileSync(keyFile, `${newLine}\n`);
    await callOnce("third");
    const ledger = await openLedger(place);
    const { ok, broken, unproved, keys } = await ledger.verify();
    await ledger.end();
    expect({ ok, broken }).toEqual({ ok: false, broken: undefined });
    expect(unproved).toBe(`2 rows were sealed with the key ${keys[0]?.keyId}, which is not available`);
  });

  it("that is missing is not created again, and the error names the remedy", async () => {
    await callOnce("first");
    rmSync(keyFile);
    await expect(openLedger(place)).rejects.toThrow(/the key file .* is missing\. Restore it/);
  });

  it("that has another key: nothing is appended, but reading works", async () => {
    await callOnce("first");
    writeFileSync(keyFile, `${randomBytes(32).toString("base64")}\n`);
    await expect(callOnce("second")).rejects.toThrow(/cannot be recorded/);
    const ledger = await openLedger(place);
    expect(await ledger.entries()).toHaveLength(1);
    await ledger.end();
  });

  it("is no longer needed after keys were turned off with it", async () => {
    await callOnce("first");
    const ledger = await openLedger(place);
    await ledger.turnKeysOff();
    expect((await ledger.rows()).at(-1)).toMatchObject({ kind: "keys-off", mac: expect.any(String) });
    expect((await ledger.verify()).ok).toBe(true);
    await ledger.end();
  });
});
