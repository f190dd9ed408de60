import { chmod, lstat, mkdir } from "node:fs/promises";

/**
 * Makes a directory that nobody else can look into, and tells whether it is new. One that belongs to somebody else,
 * or is a link, is refused: whoever laid it there would read every result.
 */
export const privateDirectory = async (directory: string): Promise<boolean> => {
  const made = await mkdir(directory, { recursive: true, mode: 0o700 });
  const found = await lstat(directory);
  if (!found.isDirectory()) throw new Error(`${directory} is not a directory`);
  const uid = process.getuid?.();
  if (uid === undefined) return made !== undefined;
  if (found.uid !== uid) throw new Error(`${directory} belongs to somebody else`);
  if ((found.mode & 0o077) !== 0) await chmod(directory, 0o700);
  return made !== undefined;
};
