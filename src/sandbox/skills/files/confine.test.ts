import { mkdirSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import * as Effect from "effect/Effect";
import fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import { fileSandbox, outsideText } from "../../../../test/kit/file-sandbox.ts";
import { skillSettings } from "../../../../test/kit/skill-settings.ts";
import { allowedFoldersOf } from "./allowed-folders.ts";
import { readAllowedFile } from "./file-reader.ts";
import { fileSearcher } from "./file-searcher.ts";
import { fileWriter } from "./file-writer.ts";

const world = fileSandbox();
afterAll(() => world[Symbol.dispose]());
const { root, outside } = world;
const files = { read: [root], write: [root], hidden: true };
world.link("file-link", join(outside, "s.txt"));
world.link("folder-link", outside);
world.link("up-link", "..");
world.link("inner-link", "in.txt");
world.link("inner-folder-link", "sub");
world.link("circle", "circle");
world.write("sub/deep.txt", "deep inside");

const read = (path: string, os: NodeJS.Platform = process.platform) =>
  Effect.runPromise(
    Effect.result(readAllowedFile({ path }, allowedFoldersOf(skillSettings({ files }), "read", os), 1_000)),
  );

const attacks = [
  "../proj-evil/s.txt",
  join(outside, "s.txt"),
  "file-link",
  "folder-link/s.txt",
  "folder-link/deep/s.txt",
  "up-link/s.txt",
  "../s.txt",
  "sub/../../s.txt",
  "./././../proj-evil/s.txt",
  `${root}/../proj-evil/s.txt`,
  `${root}-evil/s.txt`,
  "sub/../folder-link/../s.txt",
  "/etc/hostname",
  "/proc/self/environ",
  `/proc/self/cwd/../../../../../..${outside}/s.txt`,
  "in.txt\0/../../proj-evil/s.txt",
];

describe.each(["linux", "darwin"] as const)("file tool on %s", (os) => {
  it.each(attacks)("does not read %j", async (path) => {
    const result = await read(path, os);
    expect(result._tag).toBe("Failure");
    expect(JSON.stringify(result)).not.toContain(outsideText);
  });

  it.each([
    ["in.txt", "inside"],
    [join(root, "in.txt"), "inside"],
    ["inner-link", "inside"],
    ["inner-folder-link/deep.txt", "deep inside"],
    ["sub/../in.txt", "inside"],
    ["up-link/proj/in.txt", "inside"],
  ])("reads %j inside of the allowed folder", async (path, content) => {
    expect(await read(path, os)).toMatchObject({ _tag: "Success", success: { content } });
  });

  it.each(["sub", "circle", "/dev/null"])("does not read %j because it is not a file", async (path) => {
    expect(await read(path, os)).toMatchObject({ _tag: "Failure", failure: { failure: { ran: false } } });
  });
});

const segment = fc.constantFrom(
  "..",
  ".",
  "",
  "sub",
  "folder-link",
  "up-link",
  "file-link",
  "inner-folder-link",
  "proj",
  "proj-evil",
  "s.txt",
  "deep",
  "in.txt",
  "..\\",
  "%2e%2e",
  "…",
  "\0",
  " ..",
  ".. ",
);
const beginning = fc.constantFrom(
  "",
  "",
  "/",
  `${root}/`,
  `${outside}/`,
  "../",
  "//",
  "file://",
  "\\\\?\\",
  "C:",
);
const path = fc
  .tuple(beginning, fc.array(segment, { minLength: 1, maxLength: 8 }))
  .map(([first, rest]) => first + rest.join("/"));

/** Path, size and modification time of every file outside the allowed folder. */
const filesOutside = (): readonly string[] =>
  readdirSync(join(root, ".."), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((file) => !file.startsWith(`${root}/`))
    .map((file) => `${file} ${statSync(file).size} ${statSync(file).mtimeMs}`)
    .sort();

it("keeps reads, searches and writes inside for a thousand random paths", async () => {
  const write = fileWriter(skillSettings({ files }));
  const search = fileSearcher(skillSettings({ files }));
  const before = filesOutside();
  let inside = 0;
  await fc.assert(
    fc.asyncProperty(path, async (made) => {
      const result = await read(made);
      if (result._tag === "Success") inside++;
      const found = await Effect.runPromise(Effect.result(search({ query: "words", path: made })));
      expect(JSON.stringify([result, found])).not.toContain(outsideText);
      await Effect.runPromise(
        Effect.result(write({ path: `${made}`, content: "changed", mode: "overwrite" })),
      );
    }),
    { numRuns: 1_000 },
  );
  expect(filesOutside()).toEqual(before);
  // Ensures that the generator also makes valid paths.
  expect(inside).toBeGreaterThan(5);
});

/** Swaps a file, a link and a folder for links to the outside and back, in a fast loop. */
const swapper = (folder: string): Worker =>
  new Worker(
    `const { renameSync, symlinkSync, writeFileSync, mkdirSync, unlinkSync } = require("node:fs");
     const { workerData: { folder, outside }, parentPort } = require("node:worker_threads");
     const at = (name) => folder + "/" + name;
     for (const name of ["real", "moved"]) { mkdirSync(at(name)); writeFileSync(at(name + "/s.txt"), "inside"); }
     let stop = false; parentPort.on("message", () => { stop = true; });
     const turn = () => {
       for (let n = 0; n < 50; n++) {
         symlinkSync(outside + "/s.txt", at("l")); renameSync(at("l"), at("swapped"));
         writeFileSync(at("f"), "inside"); renameSync(at("f"), at("swapped"));
         symlinkSync(outside, at("d")); renameSync(at("d"), at("folder"));
         symlinkSync("real", at("d")); renameSync(at("d"), at("folder"));
         renameSync(at("moved"), at("away")); symlinkSync(outside, at("moved"));
         unlinkSync(at("moved")); renameSync(at("away"), at("moved"));
       }
       if (stop) parentPort.close(); else setImmediate(turn);
     };
     parentPort.postMessage("ready"); turn();`,
    { eval: true, workerData: { folder, outside } },
  );

const rounds = process.env.HAFT_SOAK === undefined ? 334 : 3_334;

it.each(["linux", "darwin"] as const)(
  "never reads a byte from outside while links are swapped (on %s)",
  async (os) => {
    const folder = join(root, `race-${os}`);
    mkdirSync(folder);
    const worker = swapper(folder);
    await new Promise((resolve) => worker.once("message", resolve));
    const seen = { inside: 0, refused: 0 };
    // On Linux the open file reports its path. The other check is slower and runs in full only in the soak
    // test.
    const wanted = os === "linux" || process.env.HAFT_SOAK !== undefined ? rounds : rounds / 4;
    for (let round = 0; round < wanted; round++) {
      for (const name of ["swapped", "folder/s.txt", "moved/s.txt"]) {
        const result = await read(`race-${os}/${name}`, os);
        expect(JSON.stringify(result)).not.toContain(outsideText);
        if (result._tag === "Success") seen.inside++;
        else seen.refused++;
      }
    }
    worker.postMessage("stop");
    await new Promise((resolve) => worker.once("exit", resolve));
    expect(seen.inside).toBeGreaterThan(0);
    expect(seen.refused).toBeGreaterThan(0);
  },
);
