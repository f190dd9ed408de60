import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { basename, dirname, extname, relative } from "node:path";
import { replaceFile } from "../../base/platform/replace-file.ts";
import { fromOpenApi } from "../../tools/openapi/from-openapi.ts";
import { readDocument } from "../../tools/openapi/read-document.ts";
import { command, exitCodes, type Terminal } from "../command.ts";
import { CommandUsageError } from "../command-usage-error.ts";
import { jsonValue } from "../json-option.ts";
import { checkDocumentCopyPath, documentCopyPath } from "../openapi/document-copy-path.ts";
import {
  documentsFile,
  type ImportedDocument,
  readDocumentsFile,
  writeDocumentsFile,
} from "../openapi/documents-file.ts";
import { fetchDocument } from "../openapi/fetch-document.ts";
import { openApiSecretsOf } from "../openapi/openapi-secrets.ts";
import { printImport } from "../openapi/print-import.ts";
import { readSelection } from "../openapi/read-selection.ts";
import { configOption, projectFile, readDataConfiguration } from "../read-configuration.ts";
import { painter, plainText, toJsonLine } from "../screen.ts";
import { createTrust, type TrustFlags, trustOption } from "../trust/trust.ts";

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
