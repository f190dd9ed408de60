import { constants } from "node:fs";
import { open } from "node:fs/promises";

export const mostBytes = 1_048_576;

const openFlags = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);

export type ReadFile = (file: string) => Promise<string>;

/** Larger than any such file has reason to be. */
export class FileTooLarge extends Error {
  override readonly name = "TooLarge";
}

/** A regular file of bounded size: nothing that blocks, and nothing that never ends. */
export const readSmallFile: ReadFile = async (file) => {
  // Without blocking, so that opening a pipe with nobody at its other end comes back.
  const opened = await open(file, openFlags);
  try {
    const about = await opened.stat();
    if (about.isDirectory()) throw Object.assign(new Error("a directory"), { code: "EISDIR" });
    if (!about.isFile()) throw Object.assign(new Error("no regular file"), { code: "EINVAL" });
    if (about.size > mostBytes) throw new FileTooLarge();
    return await opened.readFile("utf8");
  } finally {
    await opened.close();
  }
};

const isAbsent = (trouble: unknown): boolean => {
  const code = (trouble as { readonly code?: unknown } | null)?.code;
  return code === "ENOENT" || code === "ENOTDIR";
};

export type PlaceText =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "absent" }
  | { readonly kind: "trouble"; readonly why: string };

/** What is in a file, or why nobody can tell. A file that is not there is no trouble. */
export const readPlace = async (file: string, readFile: ReadFile): Promise<PlaceText> => {
  try {
    const text = await readFile(file);
    if (typeof text !== "string") return { kind: "trouble", why: "cannot be read: it is no text" };
    return Buffer.byteLength(text) > mostBytes ? tooLarge : { kind: "text", text };
  } catch (trouble) {
    if (isAbsent(trouble)) return { kind: "absent" };
    if (trouble instanceof FileTooLarge) return tooLarge;
    const code = (trouble as { readonly code?: unknown } | null)?.code;
    return { kind: "trouble", why: `cannot be read${typeof code === "string" ? ` (${code})` : ""}` };
  }
};

const tooLarge: PlaceText = { kind: "trouble", why: "is larger than 1 MiB, and is not read" };

/** Whether something of this name is there, a folder or a file. */
export const isThere = async (path: string, readFile: ReadFile): Promise<boolean> => {
  try {
    await readFile(path);
    return true;
  } catch (trouble) {
    return !isAbsent(trouble);
  }
};
