import { createHash } from "node:crypto";
import * as files from "node:fs/promises";
import { mkdtemp, readdir, readFile, rm, stat, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { acquireFileLock } from "./acquire-file-lock.ts";

let folder = "";
let lock = "";

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "haft-lock-"));
  lock = join(folder, "a.lock");
});

afterEach(async () => {
  vi.doUnmock("node:fs/promises");
  await rm(folder, { recursive: true, force: true });
});

const age = (seconds: number) => utimes(lock, Date.now() / 1000 - seconds, Date.now() / 1000 - seconds);

/**
 * Acquires another lock repeatedly, which takes long enough for a waiting process to check the lock several
 * times.
 */
const others = async (): Promise<void> => {
  for (let count = 0; count < 5; count++) {
    const release = await acquireFileLock(join(folder, "other.lock"));
    const next = acquireFileLock(join(folder, "other.lock"));
    await release();
    await (await next)();
  }
};

describe("acquireFileLock", () => {
  it("leaves no files after release, and a second release does nothing", async () => {
    const release = await acquireFileLock(lock);
    expect(await readdir(folder)).toEqual(["a.lock"]);
    await release();
    await release();
    expect(await readdir(folder)).toEqual([]);
  });

  it("grants the lock to one holder at a time on file systems without hard links", async () => {
    let refused = 0;
    vi.doMock("node:fs/promises", () => ({
      ...files,
      link: () => {
        refused += 1;
        return Promise.reject(Object.assign(new Error("no links"), { code: "EPERM" }));
      },
    }));
    const { acquireFileLock: take }: typeof import("./acquire-file-lock.ts") = await import(
      /* @vite-ignore */ `./acquire-file-lock.ts?links=${"none"}`
    );
    let held = 0;
    const most: number[] = [];
    await Promise.all(
      Array.from({ length: 8 }, async (_, index) => {
        const release = await (index % 2 === 0 ? take : acquireFileLock)(lock);
        held += 1;
        most.push(held);
        await readFile(lock);
        held -= 1;
        await release();
      }),
    );
    expect(most).toEqual(Array(8).fill(1));
    expect(refused).toBeGreaterThan(3);
    expect(await readdir(folder)).toEqual([]);
  });

  it("waits for a lock that is two minutes old, which is longer than the longest refresh", async () => {
    const release = await acquireFileLock(lock);
    await age(120);
    let isTaken = false;
    const second = acquireFileLock(lock).then((free) => {
      isTaken = true;
      return free;
    });
    await others();
    expect(isTaken).toBe(false);
    await release();
    await (await second)();
  });

  it("takes over the lock of a dead process, and a late release by the old holder does not free it", async () => {
    const late = await acquireFileLock(lock);
    await age(3_600);
    const release = await acquireFileLock(lock);
    const held = await readFile(lock, "utf8");
    await late();
    expect(await readFile(lock, "utf8")).toBe(held);
    let isTaken = false;
    const third = acquireFileLock(lock).then((free) => {
      isTaken = true;
      return free;
    });
    await others();
    expect(isTaken).toBe(false);
    await release();
    await (await third)();
    expect(await readdir(folder)).toEqual([]);
  });

  it("waits for and takes over locks that are empty or have foreign content", async () => {
    for (const text of ["", "4711", "../../x\n"]) {
      await writeFile(lock, text);
      await age(3_600);
      await (await acquireFileLock(lock))();
    }
    expect(await readdir(folder)).toEqual([]);
  });

  it("recovers when an earlier takeover was interrupted and its marker is stale", async () => {
    await writeFile(lock, "dead");
    await age(3_600);
    const name = createHash("sha256").update("dead").digest("hex").slice(0, 32);
    const end = `${lock}.${name}.end`;
    await writeFile(end, "");
    let isTaken = false;
    const second = acquireFileLock(lock).then((free) => {
      isTaken = true;
      return free;
    });
    await others();
    expect(isTaken).toBe(false);
    await utimes(end, 0, 0);
    await (await second)();
    expect(await readdir(folder)).toEqual([]);
  });

  it("grants a stale lock to one holder at a time when many processes find it", async () => {
    let holding = 0;
    let most = 0;
    const turn = async (_: unknown, index: number): Promise<void> => {
      // Staggers the attempts so that one reads the lock while another removes it.
      for (let count = 0; count < index; count++) await stat(folder);
      const release = await acquireFileLock(lock);
      holding += 1;
      most = Math.max(most, holding);
      for (let count = 0; count < 20; count++) await stat(folder);
      holding -= 1;
      await release();
    };
    for (let round = 0; round < 20; round++) {
      await writeFile(lock, `dead-${round}`);
      await age(3_600);
      await Promise.all(Array.from({ length: 4 }, turn));
    }
    expect(most).toBe(1);
    expect(await readdir(folder)).toEqual([]);
  });
});
