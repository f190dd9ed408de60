import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

it("a hundred calls of a megabyte leave no more behind than what is kept of them", () => {
  const script = fileURLToPath(new URL("../fixtures/memory-ledger/long-calls.ts", import.meta.url));
  const said = execFileSync(process.execPath, ["--expose-gc", script], { encoding: "utf8" });
  // 32 KB of each call are kept; before, all of it was.
  expect(Number(said)).toBeLessThan(20);
});
