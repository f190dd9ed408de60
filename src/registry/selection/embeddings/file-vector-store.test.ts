import { mkdtempSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { hashText } from "../../../base/json/canonical-json.ts";
import { fileVectorStore } from "./file-vector-store.ts";

let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "haft-vectors-"));
  file = join(folder, "deep", "vectors");
});
afterEach(() => rmSync(folder, { recursive: true }));

const key = (number: number): string => hashText(String(number));
const entries = (...numbers: readonly number[]): Map<string, Float32Array> =>
  new Map(numbers.map((number) => [key(number), Float32Array.of(number, -number, 0.5)]));

it("returns stored vectors, also to another process, and leaves no temporary files", async () => {
  await fileVectorStore({ file, name: "use" }).set(entries(1, 2));
  await fileVectorStore({ file, name: "use" }).set(entries(3));
  const found = await fileVectorStore({ file, name: "use" }).get([key(1), key(3), key(9)]);
  expect(found).toEqual(entries(1, 3));
  expect(readdirSync(join(folder, "deep"))).toEqual(["vectors"]);
});

it("stores concurrent writes", async () => {
  const store = fileVectorStore({ file, name: "use" });
  await Promise.all([store.set(entries(1)), store.set(entries(2)), store.set(entries(3))]);
  expect((await store.get([1, 2, 3].map(key))).size).toBe(3);
});

it("removes the oldest vectors above its limit", async () => {
  const store = fileVectorStore({ file, name: "use", maxVectors: 2 });
  await store.set(entries(1, 2));
  await store.set(entries(3));
  expect(await store.get([1, 2, 3].map(key))).toEqual(entries(2, 3));
});

it("returns no vectors of another embedder and drops another dimension on write", async () => {
  await fileVectorStore({ file, name: "use" }).set(entries(1));
  const other = fileVectorStore({ file, name: "other" });
  expect(await other.get([key(1)])).toEqual(new Map());
  await other.set(new Map([[key(2), Float32Array.of(1, 2)]]));
  await other.set(entries(3));
  expect(await other.get([1, 2, 3].map(key))).toEqual(entries(3));
});

const damage: readonly (readonly [string, () => void])[] = [
  ["truncated", () => truncateSync(file, readFileSync(file).length - 3)],
  ["empty", () => writeFileSync(file, "")],
  ["another file", () => writeFileSync(file, "hello\nworld")],
  ["in another format", () => writeFileSync(file, `${JSON.stringify({ format: "x", count: 1e9 })}\n`)],
  [
    "changed in one bit",
    () => {
      const bytes = readFileSync(file);
      bytes[bytes.length - 1]! ^= 1;
      writeFileSync(file, bytes);
    },
  ],
  [
    "claiming too many vectors",
    () => writeFileSync(file, readFileSync(file, "latin1").replace('"count":2', '"count":9'), "latin1"),
  ],
];
it.each(damage)("is empty and writable when the file is %s", async (_, harm) => {
  const store = fileVectorStore({ file, name: "use" });
  await store.set(entries(1, 2));
  harm();
  expect(await store.get([key(1), key(2)])).toEqual(new Map());
  await store.set(entries(4));
  expect(await store.get([key(4)])).toEqual(entries(4));
});

it("rejects a failed write and can write later", async () => {
  writeFileSync(join(folder, "deep"), "a file where a folder should be");
  const store = fileVectorStore({ file, name: "use" });
  await expect(store.set(entries(1))).rejects.toThrow();
  rmSync(join(folder, "deep"));
  await store.set(entries(2));
  expect((await store.get([key(2)])).size).toBe(1);
});

it.each([
  [{ file: "" }, "`file`"],
  [{ name: "" }, "`name`"],
  [{ maxVectors: 0 }, "`maxVectors`"],
  [{ path: "x" }, "`path`"],
])("rejects the option %j by name", (wrong, says) => {
  expect(() => fileVectorStore({ file, name: "use", ...wrong })).toThrow(says);
});
