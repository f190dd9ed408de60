import { readFile } from "node:fs/promises";
import { checkFields } from "../../base/json/check-fields.ts";
import { isObject } from "../../base/json/is-object.ts";
import { readJson } from "../../base/json/read-json.ts";
import { replaceFile } from "../../base/platform/replace-file.ts";
import type { OpenApiSelection } from "../../tools/openapi/operation-selector.ts";
import type { OpenApiAuth } from "../../tools/openapi/select-auth.ts";
import { CommandUsageError } from "../command-usage-error.ts";

export const documentsFile = "haft.openapi.json";

export interface ImportedDocument {
  /** Relative to this file. */
  readonly document: string;
  readonly documentUrl?: string;
  readonly select?: OpenApiSelection;
  readonly auth?: OpenApiAuth;
  readonly servers?: string | readonly string[];
  readonly authOrigins?: readonly string[];
  readonly prefix?: string;
}

export type ImportedDocuments = Readonly<Record<string, ImportedDocument>>;

export const readDocumentsFile = async (file: string): Promise<ImportedDocuments> => {
  const text = await readFile(file, "utf8").catch((trouble: unknown) => {
    if ((trouble as { readonly code?: unknown }).code === "ENOENT") return undefined;
    throw trouble;
  });
  if (text === undefined) return {};
  const reading = readJson(text);
  if (!reading.ok) throw new CommandUsageError(`${file} cannot be read: ${reading.problem.message}`);
  checkFields(file, reading.value, ["documents", "$schema"]);
  const { documents = {} } = reading.value as { readonly documents?: unknown };
  if (!isObject(documents))
    throw new CommandUsageError(`${file}: "documents" must be an object of documents by their ids.`);
  for (const [id, given] of Object.entries(documents)) {
    if (isObject(given) && typeof given.document === "string") continue;
    throw new CommandUsageError(`${file}: "${id}" must be an object with the file of a \`document\`.`);
  }
  return documents as unknown as ImportedDocuments;
};

export const writeDocumentsFile = async (file: string, documents: ImportedDocuments): Promise<void> =>
  replaceFile(file, `${JSON.stringify({ documents }, null, 2)}\n`);
