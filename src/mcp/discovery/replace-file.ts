import { randomBytes } from "node:crypto";
import { realpath, rename, rm, writeFile } from "node:fs/promises";

/** The file is there whole or as it was. A link stays a link: what it leads to is replaced. */
export const replaceFile = async (file: string, text: string): Promise<void> => {
  const target = await realpath(file).catch(() => file);
  const draft = `${target}.${randomBytes(4).toString("hex")}.new`;
  try {
    await writeFile(draft, text, { flag: "wx", flush: true });
    await rename(draft, target);
  } catch (trouble) {
    await rm(draft, { force: true }).catch(() => undefined);
    throw trouble;
  }
};
