import { copyFileSync, renameSync, rmSync } from "node:fs";
import { expect, it } from "vitest";
import { claim, refusal, run } from "../../../test/contracts/ledger/rows.ts";
import { closing, opening } from "../../../test/contracts/ledger-contract.ts";
import { sqliteFolder } from "../../../test/kit/sqlite-folder.ts";

const { fresh, open } = sqliteFolder();

const files = (path: string) => [path, `${path}-wal`, `${path}-shm`];

it("a ledger whose file was deleted writes nothing more, and says what happened", async () => {
  const path = fresh();
  const ledger = await open(path);
  await run(ledger.open(opening("1")));
  for (const file of files(path)) rmSync(file, { force: true });
  for (const write of [ledger.open(opening("2")), ledger.close(closing("1")), ledger.entries()]) {
    const error = await refusal<unknown>(write);
    expect(error).toMatchObject({ code: "ledger_unavailable" });
    expect(error.message).toMatch(/was deleted while it was open/);
  }
});

it("a key that was used in the file that took its place is not used once more in the old one", async () => {
  const path = fresh();
  const first = await open(path);
  await run(first.open(opening("1")));
  for (const file of files(path)) rmSync(file, { force: true });
  const second = await open(path, { key: "00".repeat(32) });
  await run(second.open(opening("2")));
  expect(await run(second.reserve(claim("k", "2")))).toEqual({ kind: "fresh" });
  const error = await refusal(first.reserve(claim("k", "1")));
  expect(error.message).toMatch(/was replaced by another file while it was open/);
  await run(second.close(closing("2", { ran: true })));
});

it("a file that was moved away and put back is gone on with", async () => {
  const path = fresh();
  const ledger = await open(path);
  await run(ledger.open(opening("1")));
  copyFileSync(path, `${path}.copy`);
  renameSync(path, `${path}.away`);
  renameSync(`${path}.copy`, path);
  expect((await refusal(ledger.close(closing("1")))).message).toMatch(/was replaced/);
  renameSync(`${path}.away`, path);
  await run(ledger.open(opening("2")));
  await run(ledger.close(closing("2")));
  expect(await run(ledger.verify())).toMatchObject({ ok: true });
});
