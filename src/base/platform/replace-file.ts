import { randomBytes } from "node:crypto";
import { lstat, realpath, rename, rm, writeFile } from "node:fs/promises";
import { dirname } from "node:path";

/**
 * Follows a symbolic link only within its folder: a cloned repository may link to another file of the user.
 */
export const replaceFile = async (file: string, text: string): Promise<void> => {
  const target = await realpath(file).catch(() => file);
  const isLink = (await lstat(file).catch(() => undefined))?.isSymbolicLink() === true;
  if (isLink && dirname(target) !== (await realpath(dirname(file)))) {
    throw new Error(
      `${file} is a symbolic link to a file in another folder or to a missing file, so it was not written. Remove the link and try again.`,
    );
  }
  const draft = `${target}.${randomBytes(4).toString("hex")}.new`;
  try {
    await writeFile(draft, text, { flag: "wx", flush: true });
    await rename(draft, target);
  } catch (trouble) {
    await rm(draft, { force: true }).catch(() => undefined);
    throw trouble;
  }
};
