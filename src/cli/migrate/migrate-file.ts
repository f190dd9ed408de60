import { readFile } from "node:fs/promises";
import { basename } from "node:path";
import type { Node as JsonNode } from "jsonc-parser";
import jsonc from "jsonc-parser";
import { missingPackage } from "../../base/platform/peer-packages.ts";
import { type Edit, lineAt, type Migration, type Note } from "./edits.ts";
import { isConfiguration } from "./find-files.ts";
import { migrateModule } from "./migrate-module.ts";
import type { OptionsRenames, Renames } from "./renames-0.3.ts";
import type { SyntaxNode } from "./syntax.ts";

export type FileResult =
  | { readonly ok: true; readonly before: string; readonly migration: Migration }
  | { readonly ok: false; readonly message: string };

type Parser = Pick<typeof import("oxc-parser"), "parseSync">;

export const loadParser = async (): Promise<Parser> =>
  import("oxc-parser").catch(missingPackage("oxc-parser", "haft migrate needs"));

export const migrateFile = async (file: string, renames: Renames, parser: Parser): Promise<FileResult> => {
  let before: string;
  try {
    // Invalid UTF-8 could not be written back unchanged.
    before = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(await readFile(file));
  } catch (error) {
    const code = (error as { readonly code?: unknown }).code;
    return {
      ok: false,
      message: code === "ERR_ENCODING_INVALID_ENCODED_DATA" ? "is not UTF-8" : "cannot be read",
    };
  }
  const mark = before.startsWith("\uFEFF") ? "\uFEFF" : "";
  const text = before.slice(mark.length);
  const result = file.endsWith(".json")
    ? migrateConfiguration(text, renames)
    : migrateText(file, text, renames, parser);
  if (!result.ok || mark === "") return result.ok ? { ...result, before } : result;
  return { ...result, before, migration: { ...result.migration, text: mark + result.migration.text } };
};

const unchanged = (text: string): FileResult => ({
  ok: true,
  before: text,
  migration: { text, edits: [], notes: [] },
});

const migrateConfiguration = (text: string, renames: Renames): FileResult => {
  const migration = migrateJson(text, renames.options.HaftOptions!.fields);
  return migration === undefined
    ? { ok: false, message: "is not JSON" }
    : { ok: true, before: text, migration };
};

const migrateText = (file: string, text: string, renames: Renames, { parseSync }: Parser): FileResult => {
  const isConfig = isConfiguration(file);
  if (!isConfig && !text.includes("haft")) return unchanged(text);
  const { program, comments, errors } = parse(file, text, parseSync);
  const error = errors.find(({ severity }) => severity === "Error");
  if (error !== undefined) {
    const line = text.slice(0, error.labels[0]?.start ?? 0).split("\n").length;
    return { ok: false, message: `line ${line}: ${error.message}` };
  }
  const parsed = { text, program: program as unknown as SyntaxNode, comments, isConfiguration: isConfig };
  return { ok: true, before: text, migration: migrateModule(parsed, renames) };
};

const parse = (file: string, text: string, parseSync: Parser["parseSync"]) => {
  const options = { preserveParens: false } as const;
  if (!/\.[cm]?jsx?$/.test(file)) return parseSync(basename(file), text, options);
  // Many projects have JSX in .js files.
  const parsed = parseSync(basename(file), text, { ...options, lang: "jsx", sourceType: "unambiguous" });
  if (parsed.errors.length === 0) return parsed;
  // CommonJS may have a top-level `return`.
  const script = parseSync(basename(file), text, { ...options, lang: "jsx", sourceType: "commonjs" });
  return script.errors.length === 0 ? script : parsed;
};

/** Undefined if the text is not JSON. */
const migrateJson = (text: string, fields: OptionsRenames["fields"]): Migration | undefined => {
  const errors: jsonc.ParseError[] = [];
  const tree = jsonc.parseTree(text, errors, { allowTrailingComma: true });
  if (tree === undefined || errors.length > 0) return undefined;
  const edits: Edit[] = [];
  const notes: Note[] = [];
  for (const [path, to] of Object.entries(fields)) {
    const steps = path.split(".");
    const key = keyAt(tree, steps);
    if (key === undefined) continue;
    if (keyAt(tree, [...steps.slice(0, -1), to]) !== undefined)
      notes.push({
        line: lineAt(text, key.offset),
        message: `Not changed: there are both "${path}" and "${to}". Remove one of them.`,
      });
    else edits.push({ start: key.offset, end: key.offset + key.length, text: JSON.stringify(to) });
  }
  const changes = edits.map(({ start, end, text: content }) => ({
    offset: start,
    length: end - start,
    content,
  }));
  return { text: jsonc.applyEdits(text, changes), edits, notes };
};

const keyAt = (tree: JsonNode, steps: readonly string[]): JsonNode | undefined =>
  jsonc.findNodeAtLocation(tree, [...steps])?.parent?.children?.[0];
