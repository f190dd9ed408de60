import { constants } from "node:fs";
import { open } from "node:fs/promises";

export const maxConfigBytes = 1_048_576;

const openFlags = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);

export type ReadTextFile = (file: string) => Promise<string>;

export class FileTooLargeError extends Error {
  override readonly name = "TooLarge";
}

export const readSmallFile: ReadTextFile = async (file) => {
  // Non-blocking, so that opening a FIFO returns.
  const opened = await open(file, openFlags);
  try {
    const about = await opened.stat();
    if (about.isDirectory()) throw Object.assign(new Error("a directory"), { code: "EISDIR" });
    if (!about.isFile()) throw Object.assign(new Error("no regular file"), { code: "EINVAL" });
    if (about.size > maxConfigBytes) throw new FileTooLargeError();
    return await opened.readFile("utf8");
  } finally {
    await opened.close();
  }
};

const isFileMissing = (trouble: unknown): boolean => {
  const code = (trouble as { readonly code?: unknown } | null)?.code;
  return code === "ENOENT" || code === "ENOTDIR";
};

export type ConfigFileText =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "absent" }
  | { readonly kind: "trouble"; readonly why: string };

export const readClientConfig = async (file: string, readFile: ReadTextFile): Promise<ConfigFileText> => {
  try {
    const text = await readFile(file);
    if (typeof text !== "string") return { kind: "trouble", why: "cannot be read: it is no text" };
    return Buffer.byteLength(text) > maxConfigBytes ? fileTooLargeResult : { kind: "text", text };
  } catch (trouble) {
    if (isFileMissing(trouble)) return { kind: "absent" };
    if (trouble instanceof FileTooLargeError) return fileTooLargeResult;
    const code = (trouble as { readonly code?: unknown } | null)?.code;
    return { kind: "trouble", why: `cannot be read${typeof code === "string" ? ` (${code})` : ""}` };
  }
};

const fileTooLargeResult: ConfigFileText = { kind: "trouble", why: "is larger than 1 MiB, and is not read" };

export const fileExists = async (path: string, readFile: ReadTextFile): Promise<boolean> => {
  try {
    await readFile(path);
    return true;
  } catch (trouble) {
    return !isFileMissing(trouble);
  }
};
