import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { checkFields } from "../../base/json/check-fields.ts";
import { isObject } from "../../base/json/json-value.ts";
import { readJson } from "../../base/json/read-json.ts";
import { protectFromWrites } from "../../base/platform/protected-files.ts";
import { replaceFile } from "../../base/platform/replace-file.ts";
import type { HaftOptions } from "../../runtime/haft-options.ts";
import type { HaftConfig } from "../../server/gateway/define-config.ts";
import type { OpenApiSelection } from "../../tools/openapi/operation.ts";
import type { OpenApiSource } from "../../tools/openapi/read-document.ts";
import type { OpenApiAuth } from "../../tools/openapi/select-auth.ts";
import type { AnyTool } from "../../types/tool.ts";
import { CommandUsageError } from "../command.ts";
import { configurationFile, projectFile } from "../read-configuration.ts";

export interface LoadedDocument {
  readonly source: OpenApiSource;
  readonly content: OpenApiSource["document"];
  readonly where: string;
}

/** The documents of the configuration, and of the documents file next to it. */
export const readDocuments = async (
  { openapi = [] }: Pick<HaftConfig, "openapi">,
  file: string | undefined,
): Promise<readonly LoadedDocument[]> => {
  const place = projectFile(file, documentsFile);
  const configuration = configurationFile(file);
  if (!Array.isArray(openapi))
    throw new CommandUsageError(
      `${configuration}: \`openapi\` must be a list such as [{ document: "pets.yaml" }].`,
    );
  const folder = dirname(configuration ?? place);
  const own = openapi.map((source, index) =>
    loadDocument(source, folder, `${configuration}, openapi[${index}]`),
  );
  const imported = Object.entries(existsSync(place) ? await readDocumentsFile(place) : {}).map(
    ([id, source]) => loadDocument(source, dirname(place), `${place}, "${id}"`),
  );
  return Promise.all([...own, ...imported]);
};

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

type ImportedDocuments = Readonly<Record<string, ImportedDocument>>;

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

const loadDocument = async (
  source: OpenApiSource,
  folder: string,
  where: string,
): Promise<LoadedDocument> => {
  if (!isObject(source))
    throw new CommandUsageError(`${where} must be an object such as { document: "pets.yaml" }.`);
  const { document } = source;
  const content = typeof document === "string" ? await readDocumentText(document, folder, where) : document;
  return { source, content, where };
};

export const withDocuments = async (
  options: HaftOptions,
  documents: readonly LoadedDocument[],
  credentials: HaftOptions["credentials"],
): Promise<HaftOptions> => {
  if (documents.length === 0) return options;
  const tools: AnyTool[] = [];
  for (const each of documents) tools.push(...(await importDocumentTools(each)));
  return {
    ...options,
    tools: [...(options.tools ?? []), ...tools],
    ...(credentials === undefined ? { credentials: environmentCredentials(options, documents) } : {}),
  };
};

const importDocumentTools = async ({
  source: { document: _, ...options },
  content,
  where,
}: LoadedDocument): Promise<readonly AnyTool[]> => {
  const { fromOpenApi } = await import("../../tools/openapi/from-openapi.ts");
  try {
    return (await fromOpenApi(content, options)).tools;
  } catch (error) {
    throw new CommandUsageError(`${where}: ${(error as Error).message}`);
  }
};

/** Never fetches: another party could then change the offered tools. */
const readDocumentText = async (document: string, folder: string, where: string): Promise<string> => {
  if (/^https?:/i.test(document))
    throw new CommandUsageError(
      `${where}: "${document}" is a URL. Import a copy first: haft import openapi ${document}`,
    );
  const path = resolve(folder, document);
  // Its servers decide where the next start sends secrets.
  protectFromWrites(path);
  return readFile(path, "utf8").catch(() => {
    throw new CommandUsageError(`${where}: the document ${document} does not exist.`);
  });
};

/**
 * Without configured credentials, secrets are environment variables with the names in the documents' `auth`.
 */
const environmentCredentials = (
  options: HaftOptions,
  found: readonly LoadedDocument[],
): HaftOptions["credentials"] => {
  const before = (options.credentials ?? {}) as { readonly env?: Readonly<Record<string, string>> };
  const names = found.flatMap(({ source }) =>
    Object.values(source.auth ?? {}).flatMap((each) => ("secret" in each ? [each.secret] : [])),
  );
  return { env: { ...before.env, ...Object.fromEntries(names.map((name) => [name, name])) } };
};
