import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

it("a hundred calls with a megabyte each retain less than 20 MB", () => {
  const script = fileURLToPath(new URL("../fixtures/memory-ledger/long-calls.ts", import.meta.url));
  const said = execFileSync(process.execPath, ["--expose-gc", script], { encoding: "utf8" });
  // 32 KB of each call are kept.
  expect(Number(said)).toBeLessThan(20);
});
