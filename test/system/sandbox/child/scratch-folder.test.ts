import { existsSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as Effect from "effect/Effect";
import { afterAll, expect, it } from "vitest";
import {
  exceedsSize,
  makeScratchFolder,
  pathProblem,
  readScratchFiles,
  removeScratchFolder,
  withScratchFolder,
  writeScratchFiles,
} from "../../../../src/sandbox/child/scratch-folder.ts";

const folders: string[] = [];
const folder = (): string => {
  const made = makeScratchFolder();
  folders.push(made);
  return made;
};
afterAll(() => folders.forEach(removeScratchFolder));

it("files are read back by their path", () => {
  const place = folder();
  writeScratchFiles(place, { "a/b/c.txt": Buffer.from("1"), __proto__x: Buffer.from("2") });
  const left = readScratchFiles(place, 100);
  expect(
    left.ok && Object.entries(left.files).map(([path, bytes]) => [path, Buffer.from(bytes).toString()]),
  ).toEqual([
    ["__proto__x", "2"],
    ["a/b/c.txt", "1"],
  ]);
});

it("symlinks are ignored, and a file named __proto__ is a file", () => {
  const [place, outside] = [folder(), folder()];
  writeFileSync(join(outside, "secret"), "s");
  symlinkSync(join(outside, "secret"), join(place, "file-link"));
  symlinkSync(outside, join(place, "folder-link"));
  writeFileSync(join(place, "__proto__"), "own");
  const left = readScratchFiles(place, 100);
  expect(left.ok && Object.keys(left.files)).toEqual(["__proto__"]);
});

it("more bytes or files than the limit are rejected, also while the program runs", () => {
  const place = folder();
  writeScratchFiles(place, { a: Buffer.alloc(60), b: Buffer.alloc(60) });
  expect([readScratchFiles(place, 119).ok, readScratchFiles(place, 120).ok]).toEqual([false, true]);
  expect([exceedsSize(place, 119), exceedsSize(place, 120)]).toEqual([true, false]);
  mkdirSync(join(place, "many"));
  for (let i = 0; i < 1_000; i++) writeFileSync(join(place, "many", String(i)), "");
  expect([readScratchFiles(place, 1_000).ok, exceedsSize(place, 1_000)]).toEqual([false, true]);
});

it.each(["", "/etc/x", "../x", "a/../../x", "a//b", "./a", "a/", "a\\b", "a\0b", ".."])(
  "rejects the path %j",
  (path) => {
    expect(pathProblem(path)).toContain("not a relative path");
  },
);

it("the scratch folder is deleted after its use", async () => {
  const used = await Effect.runPromise(withScratchFolder((place) => Effect.succeed(place)));
  expect(existsSync(used)).toBe(false);
});
