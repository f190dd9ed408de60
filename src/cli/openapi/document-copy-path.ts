import { lstat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { CommandUsageError } from "../command-usage-error.ts";

export const documentCopyPath = (file: string, id: string, text: string): string => {
  const copy = join(dirname(file), `${id}.openapi${/^\s*\{/.test(text) ? ".json" : ".yaml"}`);
  // Some file systems ignore case.
  if (basename(copy).toLowerCase() === basename(file).toLowerCase())
    throw new CommandUsageError(
      `The copy of this document would overwrite ${file}. Use another --id than ${id}.`,
    );
  return copy;
};

export const checkDocumentCopyPath = async (copy: string, mayReplace: boolean): Promise<void> => {
  const found = await lstat(copy).catch((trouble: unknown) => {
    if ((trouble as { readonly code?: unknown }).code === "ENOENT") return undefined;
    throw trouble;
  });
  if (found === undefined) return;
  if (!found.isFile())
    throw new CommandUsageError(
      `${copy} is not a regular file, so no copy is written there. Remove it, or use another --id.`,
    );
  if (!mayReplace)
    throw new CommandUsageError(
      `${copy} already exists, and the copy would replace it. Use another --id, or --replace.`,
    );
};
