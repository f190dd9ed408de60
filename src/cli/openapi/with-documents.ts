import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import type { OpenApiSource } from "../../bridges/openapi/openapi-source.ts";
import type { HaftConfig } from "../../gateway/define-config.ts";
import { isObject } from "../../json/is-object.ts";
import type { HaftOptions } from "../../runtime/options.ts";
import type { AnyTool } from "../../words/tool.ts";
import { Misuse } from "../misuse.ts";
import { configurationFile, projectFile } from "../read-configuration.ts";
import { documentsFile, readDocumentsFile } from "./documents-file.ts";

interface Found {
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
    throw new Misuse(`${configuration}: \`openapi\` must be a list such as [{ document: "pets.yaml" }].`);
  const folder = dirname(configuration ?? place);
  const own = (openapi ?? []).map(
    (source, index): Found => ({ source, folder, where: `${configuration}, openapi[${index}]` }),
  );
  const imported = Object.entries(hasFile ? await readDocumentsFile(place) : {}).map(
    ([id, source]): Found => ({ source, folder: dirname(place), where: `${place}, "${id}"` }),
  );
  const found = [...own, ...imported];
  const tools: AnyTool[] = [];
  for (const each of found) tools.push(...(await toolsOf(each)));
  return {
    ...options,
    tools: [...(options.tools ?? []), ...tools],
    ...(credentials === undefined ? { credentials: fromEnvironment(options, found) } : {}),
  };
};

const toolsOf = async ({ source, folder, where }: Found): Promise<readonly AnyTool[]> => {
  if (!isObject(source)) throw new Misuse(`${where} must be an object such as { document: "pets.yaml" }.`);
  const { document, ...options } = source;
  const { fromOpenApi } = await import("../../bridges/openapi.ts");
  try {
    const given = typeof document === "string" ? await readText(document, folder) : document;
    return (await fromOpenApi(given, options)).tools;
  } catch (error) {
    throw new Misuse(`${where}: ${(error as Error).message}`);
  }
};

/** Nothing is fetched when a runtime opens: what it offers would be somebody else's to change. */
const readText = async (document: string, folder: string): Promise<string> => {
  if (/^https?:/i.test(document))
    throw new Misuse(`"${document}" is an address. Take a copy of it first: haft import openapi ${document}`);
  const path = resolve(folder, document);
  return readFile(path, "utf8").catch(() => {
    throw new Misuse(`there is no document at ${document}.`);
  });
};

/** Whoever keeps no secrets elsewhere has them in the environment, under the names that the documents' `auth` has. */
const fromEnvironment = (options: HaftOptions, found: readonly Found[]): HaftOptions["credentials"] => {
  const before = (options.credentials ?? {}) as { readonly env?: Readonly<Record<string, string>> };
  const names = found.flatMap(({ source }) =>
    Object.values(source.auth ?? {}).flatMap((each) => ("secret" in each ? [each.secret] : [])),
  );
  return { env: { ...before.env, ...Object.fromEntries(names.map((name) => [name, name])) } };
};
