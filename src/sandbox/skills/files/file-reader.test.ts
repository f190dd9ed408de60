import { createHash } from "node:crypto";
import * as Effect from "effect/Effect";
import fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import { fileSandbox } from "../../../../test/kit/file-sandbox.ts";
import { skillSettings } from "../../../../test/kit/skill-settings.ts";
import { type FileReadInput, fileReader } from "./file-reader.ts";

const world = fileSandbox();
afterAll(() => world[Symbol.dispose]());

interface Read {
  readonly content: string;
  readonly cut: boolean;
  readonly next?: { readonly from?: number; readonly offset?: number };
  readonly hash?: string;
  readonly from?: number;
  readonly to?: number;
}

const read = (input: FileReadInput, maxBytes = 1_000): Promise<Read> =>
  Effect.runPromise(
    fileReader(skillSettings({ files: { read: [world.root], maxBytes } }))(input),
  ) as Promise<Read>;

const refused = (
  input: FileReadInput,
  settings = skillSettings({ files: { read: [world.root] } }),
): Promise<string> =>
  Effect.runPromise(Effect.map(Effect.flip(fileReader(settings)(input)), ({ message }) => message));

describe("file-read", () => {
  it("returns a text with its size, its lines and its hash", async () => {
    world.write("a.txt", "one\ntwo\n");
    const hash = createHash("sha256").update("one\ntwo\n").digest("hex");
    expect(await read({ path: "a.txt" })).toEqual({
      path: "a.txt",
      encoding: "utf-8",
      bytes: 8,
      content: "one\ntwo\n",
      from: 1,
      to: 2,
      cut: false,
      hash,
    });
  });

  it.each([
    ["utf-8", Buffer.from("grün ☃")],
    ["utf-16le", Buffer.from("grün ☃", "utf16le")],
  ] as const)("decodes %s", async (encoding, bytes) => {
    world.write("encoded.txt", bytes);
    expect((await read({ path: "encoded.txt", encoding })).content).toBe("grün ☃");
  });

  it("decodes latin1 byte by byte and returns base64 unchanged", async () => {
    const bytes = Uint8Array.from({ length: 256 }, (_, byte) => byte);
    world.write("bytes.dat", bytes);
    expect((await read({ path: "bytes.dat", encoding: "latin1" })).content).toBe(
      Buffer.from(bytes).toString("latin1"),
    );
    expect((await read({ path: "bytes.dat", encoding: "base64" })).content).toBe(
      Buffer.from(bytes).toString("base64"),
    );
  });

  it("removes a byte order mark", async () => {
    world.write("marked.txt", "\uFEFFtext");
    expect((await read({ path: "marked.txt" })).content).toBe("text");
  });

  it("returns the requested lines", async () => {
    world.write("lines.txt", "1\n2\n3\n4");
    expect(await read({ path: "lines.txt", from: 2, to: 3 })).toMatchObject({
      content: "2\n3\n",
      from: 2,
      to: 3,
      cut: false,
    });
    expect(await read({ path: "lines.txt", from: 4 })).toMatchObject({ content: "4", from: 4, to: 4 });
    expect(await read({ path: "lines.txt", to: 99 })).toMatchObject({ content: "1\n2\n3\n4", to: 4 });
  });

  it("returns the whole text in parts that continue at next", async () => {
    const letters = fc.constantFrom("a", "\n", "ü", "☃", "😀", "\r\n", "long words ");
    await fc.assert(
      fc.asyncProperty(
        fc.string({ unit: letters, maxLength: 60 }),
        fc.integer({ min: 4, max: 40 }),
        fc.constantFrom("utf-8" as const, "utf-16le" as const),
        async (text, maxBytes, encoding) => {
          world.write("parts.txt", Buffer.from(text, encoding));
          let all = "";
          for (let next: Read["next"] = {}; next !== undefined; ) {
            const part: Read = await read({ path: "parts.txt", encoding, ...next }, maxBytes);
            expect(Buffer.byteLength(part.content, encoding)).toBeLessThanOrEqual(maxBytes);
            expect(part.cut).toBe(part.next !== undefined);
            all += part.content;
            next = part.next;
          }
          expect(all).toBe(text);
        },
      ),
      { numRuns: 100 },
    );
  });

  it("reads a late part of a large file", async () => {
    world.write("large.txt", "0123456789\n".repeat(200_000));
    expect(await read({ path: "large.txt", from: 199_999, to: 199_999 })).toMatchObject({
      content: "0123456789\n",
      from: 199_999,
    });
    expect(await read({ path: "large.txt" })).toMatchObject({ cut: true, next: { from: 91 } });
  });
});

describe("error of file-read", () => {
  it.each([
    ["a missing file", { path: "none.txt" }, "does not exist"],
    ["a folder", { path: "sub" }, "is a folder"],
    ["binary content", { path: "bytes.dat", from: 1 }, 'encoding "base64"'],
    ["another encoding", { path: "other.txt" }, "latin1 or utf-16le"],
    ["a line after the end", { path: "a.txt", from: 3 }, "has only 2 lines"],
    ["lines in reverse order", { path: "a.txt", from: 2, to: 1 }, "comes before"],
    ["lines of base64", { path: "a.txt", from: 1, encoding: "base64" }, "Use offset"],
    ["a line together with an offset", { path: "a.txt", from: 1, offset: 1 }, "not both"],
    ["half a character", { path: "a.txt", offset: 1, encoding: "utf-16le" }, "must be even"],
    ["an offset after the end", { path: "a.txt", offset: 9 }, "after the end"],
    ["a hidden file", { path: ".env" }, "hidden: true"],
    ["a file outside", { path: "../s.txt" }, "config.skills.files.read"],
  ] as const)("has a remedy for %s", async (_, input, said) => {
    world.write(".env", "SECRET=1");
    world.write("a.txt", "one\ntwo\n");
    world.write("bytes.dat", Uint8Array.from([0, 1, 2]));
    world.write("other.txt", Uint8Array.from([0x67, 0xfc]));
    const message = await refused(input);
    expect(message).toContain(said);
    expect(message).not.toContain(world.root);
  });

  it("says that a whole file system is never allowed", async () => {
    for (const read of [["/"], [world.root, "/"], [`${world.root}/../../../../../../../..`]]) {
      expect(await refused({ path: "etc/hostname" }, skillSettings({ files: { read } }))).toContain(
        "resolves to the root of the file system",
      );
    }
  });

  it("has a remedy when no folder is allowed or none exists", async () => {
    expect(await refused({ path: "a" }, skillSettings({ files: { read: [] } }))).toContain(
      'read: ["./notes"]',
    );
    expect(
      await refused({ path: "a" }, skillSettings({ files: { read: [`${world.root}/none`] } })),
    ).toContain("None of the folders");
  });
});

it("reads a hidden file when hidden files or the file itself are allowed", async () => {
  world.write(".env", "SECRET=1");
  const run = (files: object, path: string) =>
    Effect.runPromise(fileReader(skillSettings({ files }))({ path })) as Promise<Read>;
  expect((await run({ read: [world.root], hidden: true }, ".env")).content).toBe("SECRET=1");
  expect((await run({ read: [world.root, `${world.root}/.env`] }, ".env")).content).toBe("SECRET=1");
});
