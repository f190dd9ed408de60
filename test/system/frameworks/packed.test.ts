import { realpathSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { Haft } from "haft";
import { expect, test } from "vitest";
import { openWritingDesk } from "../../kit/writing-desk.ts";

test("haft is the packed package, for tests and for their kit", async () => {
  const packed = fileURLToPath(new URL("../node_modules/haft/dist/index.js", import.meta.url));
  expect(realpathSync(fileURLToPath(import.meta.resolve("haft")))).toBe(packed);
  const { haft } = await openWritingDesk();
  expect(haft).toBeInstanceOf(Haft);
  expect((await import(packed)).Haft).toBe(Haft);
  await haft.close();
});

test("a source cannot be loaded", async () => {
  await expect(import("../../../src/runtime/haft.ts")).rejects.toThrow("loads a source");
});
