import { realpathSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { Haft } from "haft";
import { expect, test } from "vitest";
import { openWritingDesk } from "../../kit/mail-scene.ts";

test("tests and kits import the packed package", async () => {
  const packed = fileURLToPath(new URL("../node_modules/haft/dist/index.js", import.meta.url));
  expect(realpathSync(fileURLToPath(import.meta.resolve("haft")))).toBe(packed);
  const { haft } = await openWritingDesk();
  expect(haft).toBeInstanceOf(Haft);
  expect((await import(packed)).Haft).toBe(Haft);
  await haft.close();
});

test("importing a source file fails", async () => {
  await expect(import("../../../src/runtime/haft.ts")).rejects.toThrow("loads a source");
});
