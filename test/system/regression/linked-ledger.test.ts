import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { start } from "../cli/start.ts";

it("the default ledger of an untrusted folder cannot lead to the ledger of another folder", async () => {
  const root = mkdtempSync(join(tmpdir(), "haft-linked-ledger-"));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const [mine, clone] = [join(root, "mine"), join(root, "clone")];
  mkdirSync(mine);
  mkdirSync(join(clone, ".haft"), { recursive: true });
  const env = { HOME: root, HAFT_TRUST: "", HAFT_CONFIG_DIR: join(root, "config"), HAFT_OPERATOR_SECRET: "" };
  const haft = (cwd: string, ...words: readonly string[]) => start(words, { cwd, env }).ended;
  expect((await haft(mine, "call", "none", "{}")).code).toBe(1);
  expect((await haft(mine, "log", "--json")).out).toContain('"none"');
  for (const name of ["ledger.db", "ledger.db.key"])
    symlinkSync(join(mine, ".haft", name), join(clone, ".haft", name));
  for (const words of [["log"], ["log", "--prune", "0s", "--yes"], ["ledger", "migrate"], ["approvals"]]) {
    const { code, out, error } = await haft(clone, ...words);
    expect([words, code, out]).toEqual([words, words[0] === "ledger" ? 2 : 5, ""]);
    expect(error).toContain(words[0] === "ledger" ? "is a symbolic link" : "haft trust add");
  }
  expect((await haft(mine, "log", "--json")).out).toContain('"none"');
});
