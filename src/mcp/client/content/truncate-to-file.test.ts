import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { hashText } from "../../../base/json/canonical-json.ts";
import type { Principal } from "../../../types/principal.ts";
import type { TruncatedContent } from "./truncate-blocks.ts";
import { type FileTruncator, openFileTruncator, type TruncateToFileOptions } from "./truncate-to-file.ts";

const ada: Principal = { agent: "ada" };
const call = { principal: ada, tool: "files/read", callId: "c1" };
let home: string;
let directory: string;
let clock = 0;
const open = (options: Partial<TruncateToFileOptions> = {}): FileTruncator =>
  openFileTruncator({ directory, overBytes: 4096, now: () => clock, ...options });
const spilledIn = (value: unknown): TruncatedContent =>
  (value as { readonly spilled: TruncatedContent }).spilled;
const inDirectory = (): readonly string[] => readdirSync(directory).sort();

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "haft-spill-"));
  directory = join(home, "spill");
  clock = Date.now();
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const readAll = async (spill: FileTruncator, handle: string, length: number): Promise<string> => {
  let text = "";
  for (let offset: number | undefined = 0; offset !== undefined; ) {
    const part: Awaited<ReturnType<FileTruncator["read"]>> = await spill.read(handle, {
      principal: ada,
      offset,
      length,
    });
    text += part.text;
    offset = part.next;
  }
  return text;
};

describe("small result", () => {
  it("is returned synchronously as it is, and no file is created", () => {
    const spill = open();
    for (const value of ["short", { a: 1 }, { content: [{ type: "text", text: "a" }] }, undefined, null, 3]) {
      expect(spill.truncate(value, call)).toBe(value);
    }
    expect(() => inDirectory()).toThrow("ENOENT");
  });
});

describe("large result", () => {
  it("is replaced by a preview of its beginning and end and can be read in parts that split no character", async () => {
    const spill = open();
    const text = `begin ${"aé漢😀".repeat(2000)} end`;
    const spilled = spilledIn(await spill.truncate(text, call));
    expect(spilled).toMatchObject({ bytes: Buffer.byteLength(text), sha256: hashText(text) });
    expect(spilled.handle).toMatch(/^[0-9a-f]{32}$/);
    expect(spilled.preview).toMatch(
      /^begin [\s\S]* characters omitted; read them with read_result [\s\S]* end$/,
    );
    expect(spilled.preview!.isWellFormed()).toBe(true);
    expect(await readAll(spill, spilled.handle, 1000)).toBe(text);
    for (const [offset, length] of [
      [7, 1],
      [8, 5],
      [9, 7],
      [13, 1],
    ]) {
      const part = await spill.read(spilled.handle, { principal: ada, offset: offset!, length: length! });
      expect(part.text).not.toContain("\uFFFD");
      expect(part.text!.length).toBeGreaterThan(0);
    }
  });

  it("is measured in bytes, not in characters", async () => {
    const spill = open();
    expect(spilledIn(await spill.truncate("漢".repeat(2000), call)).bytes).toBe(6000);
    expect(spill.truncate("a".repeat(4096), call)).toBe("a".repeat(4096));
  });

  it("is stored as JSON when it is structured", async () => {
    const spill = open();
    const value = { rows: Array.from({ length: 900 }, (_, row) => ({ row })) };
    const small = await spill.truncate(value, call);
    expect(small).toMatchObject({ mimeType: "application/json" });
    expect(JSON.parse(await readAll(spill, spilledIn(small).handle, 1000))).toEqual(value);
  });

  it("keeps type and annotations of each block", async () => {
    const spill = open();
    const annotations = { audience: ["user"] };
    const data = Buffer.alloc(20_000, 7).toString("base64");
    const content = [
      { type: "text", text: "small" },
      { type: "text", text: "x".repeat(5000), annotations },
      { type: "image", data, mimeType: "image/png", annotations },
      { type: "resource", resource: { uri: "file:///a", mimeType: "text/plain", text: "y".repeat(5000) } },
      { type: "resource", resource: { uri: "file:///b", blob: data } },
      { type: "scent", strength: "z".repeat(5000) },
    ];
    const { content: blocks } = (await spill.truncate({ content }, call)) as { content: unknown[] };
    expect(blocks[0]).toBe(content[0]);
    expect(blocks[1]).toEqual({
      type: "text",
      annotations,
      spilled: expect.objectContaining({ bytes: 5000 }),
    });
    const image = blocks[2] as { readonly spilled: TruncatedContent };
    expect(image).toEqual({ type: "image", mimeType: "image/png", annotations, spilled: expect.anything() });
    expect(image.spilled).not.toHaveProperty("preview");
    expect(blocks[3]).toMatchObject({
      resource: { uri: "file:///a", mimeType: "text/plain" },
      spilled: { bytes: 5000 },
    });
    expect(blocks[4]).toEqual({
      type: "resource",
      resource: { uri: "file:///b" },
      spilled: expect.anything(),
    });
    expect(blocks[5]).toMatchObject({
      type: "scent",
      spilled: { preview: expect.stringContaining('{"type":"scent"') },
    });
    const part = await spill.read(image.spilled.handle, { principal: ada, offset: 19_990, length: 100 });
    expect(part).toMatchObject({ kind: "binary", total: 20_000, mimeType: "image/png" });
    expect(Buffer.from(part.data!, "base64")).toEqual(Buffer.alloc(10, 7));
    expect(part).not.toHaveProperty("next");
  });

  it("includes images above 16 KiB even when the limit for text is higher", async () => {
    const spill = open({ overBytes: 65_536 });
    const content = [{ type: "image", data: Buffer.alloc(15_000).toString("base64"), mimeType: "image/png" }];
    const { content: blocks } = (await spill.truncate({ content }, call)) as { content: unknown[] };
    expect(blocks[0]).toHaveProperty("spilled");
  });

  it("returns a small value for any number of blocks", async () => {
    const spill = open();
    const content = Array.from({ length: 5000 }, (_, index) => ({ type: "text", text: `row ${index}` }));
    const small = await spill.truncate({ content }, call);
    expect(JSON.stringify(small).length).toBeLessThan(8192);
    expect(JSON.parse(await readAll(spill, spilledIn(small).handle, 2048))).toEqual({ content });
  });

  it("stores data that is not base64 unchanged", async () => {
    const spill = open();
    const data = `${"A".repeat(20_000)}\n==`;
    const { content } = (await spill.truncate({ content: [{ type: "audio", data }] }, call)) as {
      content: unknown[];
    };
    expect(await readAll(spill, spilledIn(content[0]).handle, 2048)).toBe(data);
  });

  it("fails with mcp_garbage when it is nested too deeply for JSON", async () => {
    let deep: unknown = "x".repeat(5000);
    for (let level = 0; level < 100_000; level++) deep = [deep];
    await expect(open().truncate({ deep }, call)).rejects.toMatchObject({ code: "mcp_garbage" });
  });
});

describe("result handle", () => {
  it("is readable only for its caller and the delegator of that caller", async () => {
    const spill = open();
    const boss: Principal = { agent: "boss", user: "u1" };
    const helper: Principal = { agent: "helper", within: boss };
    const { handle } = spilledIn(await spill.truncate("x".repeat(5000), { ...call, principal: helper }));
    const read = (principal: Principal, of = handle) =>
      spill.read(of, { principal }).then(
        () => "read",
        (error: Error) => error.message,
      );
    expect(await read(helper)).toBe("read");
    expect(await read({ ...helper, allow: ["*"] })).toBe("read");
    expect(await read(boss)).toBe("read");
    const never = await read(boss, "0".repeat(32));
    expect(never).toContain("No result has this handle");
    for (const other of [ada, { ...boss, user: "u2" }, { ...boss, tenant: "t" }, { agent: "helper" }]) {
      expect(await read(other)).toBe(never);
    }
    for (const odd of ["", "../../etc/passwd", `${handle}.json`, handle.toUpperCase(), `${handle}\0`]) {
      expect(await read(boss, odd === handle ? "" : odd)).toBe(never);
    }
  });

  it("is stored in files that only the owner can read, without the name of the caller", async () => {
    mkdirSync(directory);
    chmodSync(directory, 0o755);
    const { handle } = spilledIn(await open().truncate("x".repeat(5000), call));
    expect(statSync(directory).mode & 0o777).toBe(0o700);
    expect(inDirectory()).toEqual([handle, `${handle}.json`]);
    for (const name of inDirectory()) expect(statSync(join(directory, name)).mode & 0o777).toBe(0o600);
  });

  it("expires after a day", async () => {
    const spill = open();
    const { handle } = spilledIn(await spill.truncate("x".repeat(5000), call));
    clock += 86_400_000;
    await expect(spill.read(handle, { principal: ada })).rejects.toMatchObject({
      code: "failed",
      retryable: false,
    });
    const { handle: later } = spilledIn(await spill.truncate("y".repeat(5000), call));
    expect(inDirectory()).toEqual([later, `${later}.json`]);
  });

  it("is rejected with an explanation when the range is invalid", async () => {
    const spill = open();
    const { handle } = spilledIn(await spill.truncate("x".repeat(5000), call));
    await expect(spill.read(handle, { principal: ada, offset: -1 })).rejects.toThrow(
      "`offset` is the first byte",
    );
    await expect(spill.read(handle, { principal: ada, length: 0.5 })).rejects.toThrow("from 1 to 2048");
    expect(await spill.read(handle, { principal: ada, offset: 9999 })).toMatchObject({
      text: "",
      total: 5000,
    });
  });
});

describe("result files", () => {
  it("are deleted oldest first when their total size exceeds the limit", async () => {
    const spill = open({ maxBytesTotal: 12_000 });
    const handles: string[] = [];
    for (let i = 0; i < 3; i++) handles.push(spilledIn(await spill.truncate("x".repeat(5000), call)).handle);
    await expect(spill.read(handles[0]!, { principal: ada })).rejects.toThrow("No result");
    for (const handle of handles.slice(1))
      expect((await spill.read(handle, { principal: ada })).total).toBe(5000);
    await expect(spill.truncate("x".repeat(12_001), call)).rejects.toMatchObject({ code: "failed" });
  });

  it("stay within the limit when calls are concurrent", async () => {
    const spill = open({ maxBytesTotal: 12_000 });
    await Promise.all(Array.from({ length: 20 }, () => spill.truncate("x".repeat(5000), call)));
    expect(inDirectory()).toHaveLength(4);
  });

  it("are deleted on close unless keep is set", async () => {
    const spill = open();
    await spill.truncate("x".repeat(5000), call);
    await spill.close();
    expect(readdirSync(home)).toEqual([]);
    await expect(spill.truncate("x".repeat(5000), call)).rejects.toMatchObject({ code: "failed" });
    const kept = open({ keep: true });
    const { handle } = spilledIn(await kept.truncate("x".repeat(5000), call));
    await kept.close();
    const next = open();
    expect((await next.read(handle, { principal: ada })).total).toBe(5000);
    await next.truncate("y".repeat(5000), call);
    await next.close();
    expect(inDirectory()).toEqual([handle, `${handle}.json`]);
  });

  it("of an earlier process count toward the limit, and partial ones are deleted after a day", async () => {
    const { handle } = spilledIn(await open({ keep: true }).truncate("x".repeat(5000), call));
    writeFileSync(join(directory, `${"0".repeat(32)}.part`), "half");
    writeFileSync(join(directory, "notes.txt"), "not ours");
    const spill = open({ maxBytesTotal: 9000 });
    clock += 90_000_000;
    const { handle: later } = spilledIn(await spill.truncate("y".repeat(5000), call));
    expect(inDirectory()).toEqual([later, `${later}.json`, "notes.txt"].sort());
    expect(handle).not.toBe(later);
  });

  it("are removed when another file of the same result cannot be written", async () => {
    // Both results get the same handle, so the second write fails on the temporary file of the first.
    let asked = 0;
    const spill = open({ random: () => Buffer.alloc(16, asked++ === 1 ? 9 : 1) });
    mkdirSync(directory, { mode: 0o700 });
    mkdirSync(join(directory, `${"09".repeat(16)}.json.part`));
    const content = ["a", "b"].map((letter) => ({ type: "text", text: letter.repeat(5000) }));
    await expect(spill.truncate({ content }, call)).rejects.toMatchObject({
      code: "failed",
      message: expect.stringContaining("(EEXIST)"),
    });
    expect(inDirectory()).toEqual([`${"09".repeat(16)}.json.part`]);
  });

  it("are not written through a symbolic link", async () => {
    mkdirSync(join(home, "elsewhere"));
    symlinkSync(join(home, "elsewhere"), directory);
    await expect(open().truncate("x".repeat(5000), call)).rejects.toMatchObject({ code: "failed" });
    expect(readdirSync(join(home, "elsewhere"))).toEqual([]);
  });
});

it("openFileTruncator rejects invalid limits", () => {
  expect(() => open({ overBytes: 10 })).toThrow(
    "`overBytes` for truncated results is 10; it must be a whole number of at least 1024",
  );
  expect(() => open({ maxBytesTotal: Number.NaN })).toThrow("maxBytesTotal");
});
