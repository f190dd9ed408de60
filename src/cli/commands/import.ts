import { existsSync } from "node:fs";
import { lstat, readFile } from "node:fs/promises";
import { basename, dirname, extname, join, relative } from "node:path";
import * as Effect from "effect/Effect";
import { type HttpEgressOptions, openHttpEgress } from "../../base/http/open-http-egress.ts";
import { isObject, type JsonObject } from "../../base/json/json-value.ts";
import { replaceFile } from "../../base/platform/replace-file.ts";
import { fromOpenApi } from "../../tools/openapi/from-openapi.ts";
import type { OpenApiSelection } from "../../tools/openapi/operation.ts";
import { readDocument } from "../../tools/openapi/read-document.ts";
import type { OpenApiAuth } from "../../tools/openapi/select-auth.ts";
import { CommandUsageError, command, exitCodes, jsonValue, type Terminal } from "../command.ts";
import { printImport } from "../openapi/print-import.ts";
import {
  documentsFile,
  type ImportedDocument,
  readDocumentsFile,
  writeDocumentsFile,
} from "../openapi/with-documents.ts";
import { configOption, projectFile, readDataConfiguration } from "../read-configuration.ts";
import { painter, plainText, toJsonLine } from "../screen.ts";
import { createTrust, type TrustFlags, trustOption } from "../trust/trust.ts";

/** Names are like `PETS_API_KEY`: environment variables unless `credentials` maps them. */
const openApiSecretsOf = (document: JsonObject, id: string): OpenApiAuth => {
  const components = isObject(document.components) ? document.components.securitySchemes : undefined;
  const schemes = document.securityDefinitions ?? components;
  const names = Object.keys(isObject(schemes) ? schemes : {}).filter((name) => name !== "__proto__");
  return Object.fromEntries(names.map((name) => [name, { secret: toVariableName(`${id}_${name}`) }]));
};

const toVariableName = (text: string): string =>
  text
    .replace(/([a-z0-9])([A-Z])/g, "$1_$2")
    .replace(/[^A-Za-z0-9]+/g, "_")
    .replace(/^_+|_+$/g, "")
    .toUpperCase();

const httpMethods = new Set(["GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE"]);

const readSelection = (patterns: readonly string[]): OpenApiSelection => {
  const found: Record<"tags" | "paths" | "methods" | "operations", string[]> = {
    tags: [],
    paths: [],
    methods: [],
    operations: [],
  };
  for (const pattern of patterns) {
    if (pattern.startsWith("tag:")) found.tags.push(pattern.slice(4));
    else if (pattern.startsWith("/")) found.paths.push(pattern);
    else if (httpMethods.has(pattern.toUpperCase())) found.methods.push(pattern.toUpperCase());
    else found.operations.push(pattern);
  }
  return Object.fromEntries(Object.entries(found).filter(([, list]) => list.length > 0));
};

const documentCopyPath = (file: string, id: string, text: string): string => {
  const copy = join(dirname(file), `${id}.openapi${/^\s*\{/.test(text) ? ".json" : ".yaml"}`);
  // Some file systems ignore case.
  if (basename(copy).toLowerCase() === basename(file).toLowerCase())
    throw new CommandUsageError(
      `The copy of this document would overwrite ${file}. Use another --id than ${id}.`,
    );
  return copy;
};

const checkDocumentCopyPath = async (copy: string, mayReplace: boolean): Promise<void> => {
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

export const importOpenApi = command({
  operands: "FILE|URL",
  options: {
    id: { type: "string", value: "ID", about: "id of the stored document; default: the name of the file" },
    select: {
      type: "string",
      multiple: true,
      value: "PATTERN",
      about: "only some operations: tag:pets, /pets*, GET or list*; repeatable",
    },
    server: { type: "string", value: "URL", about: "base URL of the service, instead of the document's" },
    prefix: { type: "string", value: "TEXT", about: "prefix of the name of every tool" },
    "dry-run": { type: "boolean", about: "show what would be added, and write nothing" },
    replace: {
      type: "boolean",
      about: "replace the document with this id, and its copy",
    },
    config: configOption,
    trust: trustOption,
    json: jsonValue("the tools, their base URLs, the secrets they need and what was not converted"),
  },
  examples: [
    { line: "haft import openapi pets.yaml --dry-run", about: "preview the tools" },
    {
      line: "haft import openapi pets.yaml --select tag:pets --select GET",
      about: "only the operations that read pets",
    },
    {
      line: "haft import openapi https://api.example/openapi.json --id example --prefix example_",
      about: "store a copy of the document next to the configuration",
    },
  ],
  run: async ({ options, operands, terminal }) => {
    const [place, odd] = operands;
    if (place === undefined || odd !== undefined)
      throw new CommandUsageError(
        "haft import openapi requires one document: a JSON or YAML file, or a URL.",
      );
    const isUrl = /^https?:\/\//i.test(place);
    const id = checkDocumentId(options.id ?? documentIdOf(place));
    const file = projectFile(options.config, documentsFile);
    const kept = await readDocumentsFile(file);
    if (Object.hasOwn(kept, id) && options.replace !== true && options["dry-run"] !== true)
      throw new CommandUsageError(`${file} has a document ${id} already. Use another --id, or --replace.`);
    const given = isUrl ? await fetchDocumentText(place, options, terminal) : await readDocumentFile(place);
    const { root } = await asUsageError(place, readDocument(given.text));
    const copy = isUrl ? documentCopyPath(file, id, given.text) : undefined;
    const isDry = options["dry-run"] === true;
    if (copy !== undefined && !isDry) await checkDocumentCopyPath(copy, options.replace === true);
    const select = options.select === undefined ? undefined : readSelection(options.select);
    const auth = openApiSecretsOf(root, id);
    const entry: ImportedDocument = {
      document: copy !== undefined ? basename(copy) : relative(dirname(file), place) || place,
      ...(given.url === undefined ? {} : { documentUrl: given.url }),
      ...(select === undefined ? {} : { select }),
      ...(Object.keys(auth).length === 0 ? {} : { auth }),
      ...(options.server === undefined ? {} : { servers: options.server }),
      ...(options.prefix === undefined ? {} : { prefix: options.prefix }),
    };
    const { document: _, ...wishes } = entry;
    const made = await asUsageError(place, fromOpenApi(root, wishes));
    const { tools, losses, requests } = made;
    if (tools.length === 0)
      throw new CommandUsageError(`No operation of ${place} was selected, so there is nothing to add.`);
    if (!isDry) {
      if (copy !== undefined) await replaceFile(copy, given.text);
      await writeDocumentsFile(file, { ...kept, [id]: entry });
    }
    const secrets = Object.entries(auth).map(([scheme, each]) => ({
      name: (each as { readonly secret: string }).secret,
      for: scheme,
    }));
    if (options.json === true) {
      const names = tools.map(({ spec }) => spec.name);
      terminal.out(
        toJsonLine({ id, file, added: !isDry, ...entry, tools: names, requests, secrets, losses }),
      );
      return exitCodes.done;
    }
    printImport(made, losses, terminal);
    printSecrets(secrets, terminal);
    const { green } = painter(terminal);
    terminal.out(
      isDry
        ? `${tools.length} tools would be added to ${file}.\n`
        : `${green("added")} ${tools.length} tools of ${id} to ${file}\n`,
    );
    return exitCodes.done;
  },
});

const documentIdOf = (place: string): string => {
  const path = /^https?:/i.test(place)
    ? (URL.parse(place)?.hostname ?? "document")
    : basename(place, extname(place));
  return (
    path
      .replace(/\.(openapi|swagger)$/, "")
      .replace(/[^A-Za-z0-9_-]+/g, "-")
      .replace(/^-+|-+$/g, "") || "document"
  );
};

const checkDocumentId = (id: string): string => {
  if (/^[A-Za-z0-9][A-Za-z0-9_-]{0,40}$/.test(id)) return id;
  throw new CommandUsageError(
    `"${plainText(id)}" is not a valid id: use at most 41 letters, digits, "_" and "-". Set another with --id.`,
  );
};

interface DocumentText {
  readonly text: string;
  readonly url?: string;
}

const readDocumentFile = async (place: string): Promise<DocumentText> => {
  if (!existsSync(place)) throw new CommandUsageError(`There is no document at ${place}.`);
  return { text: await readFile(place, "utf8") };
};

const fetchDocumentText = async (
  place: string,
  flags: TrustFlags & { readonly config?: string },
  terminal: Terminal,
): Promise<DocumentText> => {
  const { httpEgress: outside = {} } = await readDataConfiguration(
    flags.config,
    createTrust(flags, terminal),
    terminal,
  );
  return fetchDocument(place, outside, terminal.signal);
};

const maxDocumentBytes = 32 * 1024 * 1024;

/** Uses the guarded HTTP client, so a private address needs the configuration's permission. */
const fetchDocument = async (
  url: string,
  options: HttpEgressOptions,
  signal: AbortSignal,
): Promise<{ readonly text: string; readonly url: string }> => {
  const fetched = Effect.scoped(
    Effect.flatMap(openHttpEgress(options), (client) =>
      client.request({
        url,
        maxBytes: maxDocumentBytes,
        headers: { accept: "application/json, application/yaml, text/yaml, */*;q=0.5" },
      }),
    ),
  );
  const response = await Effect.runPromise(fetched, { signal }).catch((error: Error) => {
    throw new CommandUsageError(`${url} cannot be fetched: ${error.message}`);
  });
  if (response.status !== 200)
    throw new CommandUsageError(`${url} answered ${response.status} instead of a document.`);
  return { text: new TextDecoder().decode(response.body), url: response.url };
};

const asUsageError = <A>(place: string, work: Promise<A>): Promise<A> =>
  work.catch((error: Error) => {
    throw new CommandUsageError(`${place}: ${error.message}`);
  });

const printSecrets = (
  secrets: readonly { readonly name: string; readonly for: string }[],
  terminal: Terminal,
): void => {
  if (secrets.length === 0) return;
  terminal.error(
    "Its schemes need these secrets, as environment variables or under `credentials` in your configuration:\n",
  );
  for (const { name, for: scheme } of secrets)
    terminal.error(`  ${name}  ${painter(terminal).dim(plainText(`for ${scheme}`))}\n`);
};
