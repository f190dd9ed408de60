import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { isObject } from "../../base/json/is-object.ts";
import type { HaftOptions } from "../../runtime/haft-options.ts";
import type { HaftConfig } from "../../server/gateway/define-config.ts";
import type { OpenApiSource } from "../../tools/openapi/openapi-source.ts";
import type { AnyTool } from "../../types/tool.ts";
import { CommandUsageError } from "../command-usage-error.ts";
import { configurationFile, projectFile } from "../read-configuration.ts";
import { documentsFile, readDocumentsFile } from "./documents-file.ts";

interface LocatedDocument {
  readonly source: OpenApiSource;
  readonly folder: string;
  readonly where: string;
}

/** The runtime's options with the tools of the configuration's OpenAPI documents, and of those beside it. */
export const withDocuments = async (
  options: HaftOptions,
  { openapi, credentials }: Pick<HaftConfig, "openapi" | "credentials">,
  file: string | undefined,
): Promise<HaftOptions> => {
  const place = projectFile(file, documentsFile);
  const hasFile = existsSync(place);
  if (openapi === undefined && !hasFile) return options;
  const configuration = configurationFile(file);
  if (openapi !== undefined && !Array.isArray(openapi))
    throw new CommandUsageError(
      `${configuration}: \`openapi\` must be a list such as [{ document: "pets.yaml" }].`,
    );
  const folder = dirname(configuration ?? place);
  const own = (openapi ?? []).map(
    (source, index): LocatedDocument => ({ source, folder, where: `${configuration}, openapi[${index}]` }),
  );
  const imported = Object.entries(hasFile ? await readDocumentsFile(place) : {}).map(
    ([id, source]): LocatedDocument => ({ source, folder: dirname(place), where: `${place}, "${id}"` }),
  );
  const found = [...own, ...imported];
  const tools: AnyTool[] = [];
  for (const each of found) tools.push(...(await importDocumentTools(each)));
  return {
    ...options,
    tools: [...(options.tools ?? []), ...tools],
    ...(credentials === undefined ? { credentials: environmentCredentials(options, found) } : {}),
  };
};

const importDocumentTools = async ({
  source,
  folder,
  where,
}: LocatedDocument): Promise<readonly AnyTool[]> => {
  if (!isObject(source))
    throw new CommandUsageError(`${where} must be an object such as { document: "pets.yaml" }.`);
  const { document, ...options } = source;
  const { fromOpenApi } = await import("../../tools/openapi/from-openapi.ts");
  try {
    const given = typeof document === "string" ? await readDocumentText(document, folder) : document;
    return (await fromOpenApi(given, options)).tools;
  } catch (error) {
    throw new CommandUsageError(`${where}: ${(error as Error).message}`);
  }
};

/** Nothing is fetched when a runtime opens: what it offers would be somebody else's to change. */
const readDocumentText = async (document: string, folder: string): Promise<string> => {
  if (/^https?:/i.test(document))
    throw new CommandUsageError(
      `"${document}" is an address. Take a copy of it first: haft import openapi ${document}`,
    );
  const path = resolve(folder, document);
  return readFile(path, "utf8").catch(() => {
    throw new CommandUsageError(`there is no document at ${document}.`);
  });
};

/** Whoever keeps no secrets elsewhere has them in the environment, under the names that the documents' `auth` has. */
const environmentCredentials = (
  options: HaftOptions,
  found: readonly LocatedDocument[],
): HaftOptions["credentials"] => {
  const before = (options.credentials ?? {}) as { readonly env?: Readonly<Record<string, string>> };
  const names = found.flatMap(({ source }) =>
    Object.values(source.auth ?? {}).flatMap((each) => ("secret" in each ? [each.secret] : [])),
  );
  return { env: { ...before.env, ...Object.fromEntries(names.map((name) => [name, name])) } };
};
