import { lstat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { CommandUsageError } from "../command-usage-error.ts";

/** Where the copy of a fetched document is kept: beside the file of documents, which it must not be itself. */
export const documentCopyPath = (file: string, id: string, text: string): string => {
  const copy = join(dirname(file), `${id}.openapi${/^\s*\{/.test(text) ? ".json" : ".yaml"}`);
  // Some file systems take upper and lower case for the same.
  if (basename(copy).toLowerCase() === basename(file).toLowerCase())
    throw new CommandUsageError(
      `The copy of this document would be ${file} itself. Give another --id than ${id}.`,
    );
  return copy;
};

/** Throws where something is in the way that nobody said may be replaced. */
export const checkDocumentCopyPath = async (copy: string, mayReplace: boolean): Promise<void> => {
  const found = await lstat(copy).catch((trouble: unknown) => {
    if ((trouble as { readonly code?: unknown }).code === "ENOENT") return undefined;
    throw trouble;
  });
  if (found === undefined) return;
  if (!found.isFile())
    throw new CommandUsageError(
      `${copy} is no plain file, so no copy is written there. Remove it, or give another --id.`,
    );
  if (!mayReplace)
    throw new CommandUsageError(
      `${copy} exists already, and the copy would take its place. Give another --id, or --replace.`,
    );
};
