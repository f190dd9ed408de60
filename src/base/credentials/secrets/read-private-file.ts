import { constants, type Stats } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { maxSecretBytes, SecretError } from "../secret-source.ts";

export type FileAccess = "owner" | "readable";

const accessProblem = (stats: Stats, access: FileAccess): string | undefined => {
  if (!stats.isFile()) return "is not a regular file";
  if (stats.size > maxSecretBytes) return "is larger than 64 KiB";
  // Windows has no mode bits.
  if (process.getuid === undefined) return undefined;
  if (stats.uid !== process.getuid() && stats.uid !== 0) return "does not belong to the user of this process";
  const mode = stats.mode & 0o777;
  const shown = mode.toString(8).padStart(4, "0");
  if (access === "readable") {
    return (mode & 0o022) === 0
      ? undefined
      : `can be written by other users (mode ${shown}); set its mode to 0644 or less`;
  }
  if ((mode & 0o077) === 0) return undefined;
  return `can be read by other users (mode ${shown}); set its mode to 0600, or set credentials.sharedFiles if a container mounts it this way`;
};

const readAll = async (file: FileHandle): Promise<Uint8Array> => {
  const buffer = new Uint8Array(maxSecretBytes + 1);
  let length = 0;
  for (;;) {
    const { bytesRead } = await file.read(buffer, length, buffer.length - length);
    length += bytesRead;
    if (bytesRead === 0 || length === buffer.length) return buffer.subarray(0, length);
  }
};

const codeOf = (error: unknown): string =>
  error instanceof Error && "code" in error ? String(error.code) : "unknown";

/**
 * Checks permissions on the open handle, so that the checked file is the file that is read. O_NONBLOCK keeps
 * a pipe from blocking.
 */
export const readPrivateFile = async (
  path: string,
  access: FileAccess = "owner",
): Promise<Uint8Array | undefined> => {
  const where = `the file ${path}`;
  let file: FileHandle;
  try {
    file = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  } catch (error) {
    if (codeOf(error) === "ENOENT") return undefined;
    throw new SecretError(`${where} cannot be opened (${codeOf(error)})`);
  }
  try {
    const reason = accessProblem(await file.stat(), access);
    if (reason !== undefined) throw new SecretError(`${where} ${reason}`);
    const bytes = await readAll(file);
    if (bytes.length > maxSecretBytes) throw new SecretError(`${where} is larger than 64 KiB`);
    return bytes;
  } catch (error) {
    throw error instanceof SecretError
      ? error
      : new SecretError(`${where} cannot be read (${codeOf(error)})`);
  } finally {
    await file.close();
  }
};
