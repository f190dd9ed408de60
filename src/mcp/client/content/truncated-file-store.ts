import { createHash, randomBytes } from "node:crypto";
import { chmod, lstat, mkdir, open, readdir, readFile, rename, rm, rmdir, stat } from "node:fs/promises";
import { join } from "node:path";
import type { SpilledKind } from "./spilled.ts";

/** What is known of a file, kept beside it. Owners are hashes: no name of a person is on the disk. */
export interface SpillRecord {
  readonly kind: SpilledKind;
  readonly mimeType?: string;
  readonly bytes: number;
  readonly sha256: string;
  readonly owners: readonly string[];
  readonly tool: string;
  readonly callId: string;
  readonly at: number;
}

export interface SpillFilesOptions {
  readonly directory: string;
  readonly maxBytesTotal: number;
  readonly maxAgeMs: number;
  readonly keep: boolean;
  readonly now: () => number;
  readonly random: (bytes: number) => Uint8Array;
}

export interface SpillFiles {
  readonly write: (
    bytes: Uint8Array,
    about: Omit<SpillRecord, "bytes" | "sha256" | "at">,
  ) => Promise<{ readonly handle: string; readonly bytes: number; readonly sha256: string }>;
  readonly drop: (handle: string) => Promise<void>;
  /** Nothing for a handle that was never given out, or whose file has left. */
  readonly find: (handle: string) => Promise<SpillRecord | undefined>;
  readonly slice: (handle: string, offset: number, length: number) => Promise<Uint8Array>;
  readonly close: () => Promise<void>;
}

export const randomOf = (bytes: number): Uint8Array => randomBytes(bytes);

const isHandle = (text: string): boolean => /^[0-9a-f]{32}$/.test(text);

const isOurs = (name: string): boolean => /^[0-9a-f]{32}(\.json)?(\.part)?$/.test(name);

/** One file for each handle and its record beside it. Writes go one after the other, so that the bound holds. */
export const spillFiles = (options: SpillFilesOptions): SpillFiles => {
  const { directory, maxBytesTotal, maxAgeMs, now } = options;
  const data = (handle: string): string => join(directory, handle);
  const beside = (handle: string): string => join(directory, `${handle}.json`);
  /** Oldest first. */
  const held = new Map<string, { readonly bytes: number; readonly at: number }>();
  const mine = new Set<string>();
  let total = 0;
  let isNew = false;
  let opened: Promise<void> | undefined;
  let last: Promise<unknown> = Promise.resolve();
  let closed = false;

  const remove = async (handle: string): Promise<void> => {
    await rm(beside(handle), { force: true });
    await rm(data(handle), { force: true });
    total -= held.get(handle)?.bytes ?? 0;
    held.delete(handle);
    mine.delete(handle);
  };

  /** What an earlier process left counts too, and goes when its time is up. */
  const takeStock = async (): Promise<void> => {
    isNew = await privateDirectory(directory);
    if (isNew) return;
    const found: { readonly handle: string; readonly bytes: number; readonly at: number }[] = [];
    for (const name of await readdir(directory)) {
      const about = await stat(join(directory, name)).catch(() => undefined);
      if (about === undefined) continue;
      // A record without its file, or a draft: somebody was ended while writing.
      if (!isHandle(name)) {
        if (isOurs(name) && now() - about.mtimeMs >= maxAgeMs)
          await rm(join(directory, name), { force: true });
      } else found.push({ handle: name, bytes: about.size, at: about.mtimeMs });
    }
    for (const { handle, bytes, at } of found.sort((one, other) => one.at - other.at)) {
      held.set(handle, { bytes, at });
      total += bytes;
    }
  };

  const makeRoom = async (bytes: number): Promise<void> => {
    if (bytes > maxBytesTotal)
      throw new Error(`it has ${bytes} bytes, and there is room for ${maxBytesTotal}`);
    for (const [handle, { at }] of held) {
      if (total + bytes <= maxBytesTotal && now() - at < maxAgeMs) break;
      await remove(handle);
    }
  };

  const put = async (path: string, bytes: Uint8Array): Promise<void> => {
    const draft = `${path}.part`;
    try {
      const file = await open(draft, "wx", 0o600);
      try {
        await file.writeFile(bytes);
      } finally {
        await file.close();
      }
      await rename(draft, path);
    } catch (trouble) {
      await rm(draft, { force: true }).catch(() => undefined);
      throw trouble;
    }
  };

  const inTurn = <A>(work: () => Promise<A>): Promise<A> => {
    const turn = last.then(work);
    last = turn.catch(() => undefined);
    return turn;
  };

  return {
    write: (bytes, about) =>
      inTurn(async () => {
        if (closed) throw new Error("the runtime is closed");
        opened ??= takeStock();
        await opened.catch((trouble: unknown) => {
          opened = undefined;
          throw trouble;
        });
        await makeRoom(bytes.byteLength);
        const handle = Buffer.from(options.random(16)).toString("hex");
        const at = now();
        const sha256 = createHash("sha256").update(bytes).digest("hex");
        const record: SpillRecord = { ...about, bytes: bytes.byteLength, sha256, at };
        try {
          await put(data(handle), bytes);
          await put(beside(handle), Buffer.from(JSON.stringify(record)));
        } catch (trouble) {
          await rm(data(handle), { force: true }).catch(() => undefined);
          throw trouble;
        }
        held.set(handle, { bytes: bytes.byteLength, at });
        mine.add(handle);
        total += bytes.byteLength;
        return { handle, bytes: bytes.byteLength, sha256 };
      }),
    drop: (handle) => inTurn(() => remove(handle).catch(() => undefined)),
    find: async (handle) => {
      if (!isHandle(handle)) return undefined;
      try {
        const record = JSON.parse(await readFile(beside(handle), "utf8")) as SpillRecord;
        return now() - record.at < maxAgeMs ? record : undefined;
      } catch {
        return undefined;
      }
    },
    slice: async (handle, offset, length) => {
      const file = await open(data(handle), "r");
      try {
        const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, offset);
        return buffer.subarray(0, bytesRead);
      } finally {
        await file.close();
      }
    },
    close: () =>
      inTurn(async () => {
        closed = true;
        if (options.keep) return;
        for (const handle of [...mine]) await remove(handle).catch(() => undefined);
        if (isNew) await rmdir(directory).catch(() => undefined);
      }),
  };
};

/**
 * Makes a directory that nobody else can look into, and tells whether it is new. One that belongs to somebody else,
 * or is a link, is refused: whoever laid it there would read every result.
 */
const privateDirectory = async (directory: string): Promise<boolean> => {
  const made = await mkdir(directory, { recursive: true, mode: 0o700 });
  const found = await lstat(directory);
  if (!found.isDirectory()) throw new Error(`${directory} is not a directory`);
  const uid = process.getuid?.();
  if (uid === undefined) return made !== undefined;
  if (found.uid !== uid) throw new Error(`${directory} belongs to somebody else`);
  if ((found.mode & 0o077) !== 0) await chmod(directory, 0o700);
  return made !== undefined;
};
