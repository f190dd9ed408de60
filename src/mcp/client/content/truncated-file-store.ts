import { createHash, randomBytes } from "node:crypto";
import { chmod, lstat, mkdir, open, readdir, readFile, rename, rm, rmdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { hashJson } from "../../../base/json/canonical-json.ts";
import type { Principal } from "../../../types/principal.ts";
import type { TruncatedKind } from "./truncate-blocks.ts";

/** Owners are hashes, so that no names are written to disk. */
export interface TruncatedFileRecord {
  readonly kind: TruncatedKind;
  readonly mimeType?: string;
  readonly bytes: number;
  readonly sha256: string;
  readonly owners: readonly string[];
  readonly tool: string;
  readonly callId: string;
  readonly at: number;
}

export interface TruncatedFileStoreOptions {
  readonly directory: string;
  readonly maxBytesTotal: number;
  readonly maxAgeMs: number;
  readonly keep: boolean;
  readonly now: () => number;
  readonly random: (bytes: number) => Uint8Array;
}

export interface TruncatedFileStore {
  readonly write: (
    bytes: Uint8Array,
    about: Omit<TruncatedFileRecord, "bytes" | "sha256" | "at">,
  ) => Promise<{ readonly handle: string; readonly bytes: number; readonly sha256: string }>;
  readonly drop: (handle: string) => Promise<void>;
  readonly find: (handle: string) => Promise<TruncatedFileRecord | undefined>;
  readonly slice: (handle: string, offset: number, length: number) => Promise<Uint8Array>;
  readonly close: () => Promise<void>;
}

export const randomBytesOf = (bytes: number): Uint8Array => randomBytes(bytes);

const isHandle = (text: string): boolean => /^[0-9a-f]{32}$/.test(text);

const isStoreFile = (name: string): boolean => /^[0-9a-f]{32}(\.json)?(\.part)?$/.test(name);

/** Writes are serialized, so that the size limit holds. */
export const openTruncatedFileStore = (options: TruncatedFileStoreOptions): TruncatedFileStore => {
  const { directory, maxBytesTotal, maxAgeMs, now } = options;
  const dataFile = (handle: string): string => join(directory, handle);
  const recordFile = (handle: string): string => join(directory, `${handle}.json`);
  /** Oldest first. */
  const filesByHandle = new Map<string, { readonly bytes: number; readonly at: number }>();
  const writtenHandles = new Set<string>();
  let total = 0;
  let isNew = false;
  let opened: Promise<void> | undefined;
  let last: Promise<unknown> = Promise.resolve();
  let closed = false;

  const remove = async (handle: string): Promise<void> => {
    await rm(recordFile(handle), { force: true });
    await rm(dataFile(handle), { force: true });
    total -= filesByHandle.get(handle)?.bytes ?? 0;
    filesByHandle.delete(handle);
    writtenHandles.delete(handle);
  };

  /** Files of earlier processes count toward the limit. */
  const loadExisting = async (): Promise<void> => {
    isNew = await makePrivateDirectory(directory);
    if (isNew) return;
    const found: { readonly handle: string; readonly bytes: number; readonly at: number }[] = [];
    for (const name of await readdir(directory)) {
      const about = await stat(join(directory, name)).catch(() => undefined);
      if (about === undefined) continue;
      // Records and drafts that a crash left behind.
      if (!isHandle(name)) {
        if (isStoreFile(name) && now() - about.mtimeMs >= maxAgeMs)
          await rm(join(directory, name), { force: true });
      } else found.push({ handle: name, bytes: about.size, at: about.mtimeMs });
    }
    for (const { handle, bytes, at } of found.sort((one, other) => one.at - other.at)) {
      filesByHandle.set(handle, { bytes, at });
      total += bytes;
    }
  };

  const makeRoom = async (bytes: number): Promise<void> => {
    if (bytes > maxBytesTotal) throw new Error(`it has ${bytes} bytes, and the limit is ${maxBytesTotal}`);
    for (const [handle, { at }] of filesByHandle) {
      if (total + bytes <= maxBytesTotal && now() - at < maxAgeMs) break;
      await remove(handle);
    }
  };

  const replaceFileWith = async (path: string, bytes: Uint8Array): Promise<void> => {
    const draft = `${path}.part`;
    try {
      const file = await open(draft, "wx", 0o600);
      try {
        await file.writeFile(bytes);
      } finally {
        await file.close();
      }
      await rename(draft, path);
    } catch (error) {
      await rm(draft, { force: true }).catch(() => undefined);
      throw error;
    }
  };

  const runInOrder = <A>(work: () => Promise<A>): Promise<A> => {
    const lastWrite = last.then(work);
    last = lastWrite.catch(() => undefined);
    return lastWrite;
  };

  return {
    write: (bytes, about) =>
      runInOrder(async () => {
        if (closed) throw new Error("the runtime is closed");
        opened ??= loadExisting();
        await opened.catch((error: unknown) => {
          opened = undefined;
          throw error;
        });
        await makeRoom(bytes.byteLength);
        const handle = Buffer.from(options.random(16)).toString("hex");
        const at = now();
        const sha256 = createHash("sha256").update(bytes).digest("hex");
        const record: TruncatedFileRecord = { ...about, bytes: bytes.byteLength, sha256, at };
        try {
          await replaceFileWith(dataFile(handle), bytes);
          await replaceFileWith(recordFile(handle), Buffer.from(JSON.stringify(record)));
        } catch (error) {
          await rm(dataFile(handle), { force: true }).catch(() => undefined);
          throw error;
        }
        filesByHandle.set(handle, { bytes: bytes.byteLength, at });
        writtenHandles.add(handle);
        total += bytes.byteLength;
        return { handle, bytes: bytes.byteLength, sha256 };
      }),
    drop: (handle) => runInOrder(() => remove(handle).catch(() => undefined)),
    find: async (handle) => {
      if (!isHandle(handle)) return undefined;
      try {
        const record = JSON.parse(await readFile(recordFile(handle), "utf8")) as TruncatedFileRecord;
        return now() - record.at < maxAgeMs ? record : undefined;
      } catch {
        return undefined;
      }
    },
    slice: async (handle, offset, length) => {
      const file = await open(dataFile(handle), "r");
      try {
        const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, offset);
        return buffer.subarray(0, bytesRead);
      } finally {
        await file.close();
      }
    },
    close: () =>
      runInOrder(async () => {
        closed = true;
        if (options.keep) return;
        for (const handle of [...writtenHandles]) await remove(handle).catch(() => undefined);
        if (isNew) await rmdir(directory).catch(() => undefined);
      }),
  };
};

/**
 * Refuses links and directories of other users, who could read the results. Returns whether the directory is
 * new.
 */
const makePrivateDirectory = async (directory: string): Promise<boolean> => {
  const made = await mkdir(directory, { recursive: true, mode: 0o700 });
  const found = await lstat(directory);
  if (!found.isDirectory()) throw new Error(`${directory} is not a directory`);
  const uid = process.getuid?.();
  if (uid === undefined) return made !== undefined;
  if (found.uid !== uid) throw new Error(`${directory} belongs to another user`);
  if ((found.mode & 0o077) !== 0) await chmod(directory, 0o700);
  return made !== undefined;
};

const maxChainDepth = 64;

const callerChain = (principal: Principal): unknown[] => {
  const chain: unknown[] = [];
  let link: Principal | undefined = principal;
  for (; link !== undefined && chain.length < maxChainDepth; link = link.within) {
    const { agent, session, user, tenant } = link;
    chain.push({ agent, session, user, tenant });
  }
  return chain;
};

export const contentOwnerOf = (principal: Principal): string => hashJson(callerChain(principal));

/** The caller and its delegators. */
export const contentReadersOf = (principal: Principal): readonly string[] => {
  const chain = callerChain(principal);
  return chain.map((_, depth) => hashJson(chain.slice(depth)));
};
