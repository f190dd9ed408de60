import { type Dirent, existsSync, statSync } from "node:fs";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { basename, join, normalize } from "node:path";
import jsonc, { type Node as JsonNode } from "jsonc-parser";
import { checkPackage, missingPackage } from "../../base/platform/peer-packages.ts";
import { CommandUsageError, command, exitCodes, jsonValue, type Terminal } from "../command.ts";
import { migrateModule } from "../migrate/migrate-module.ts";
import { type OptionsRenames, type Renames, renames03 } from "../migrate/renames-0.3.ts";
import { type Edit, lineAt, type Migration, type Note, type SyntaxNode } from "../migrate/syntax.ts";
import { countText, painter, plainText, progressBar, toJsonLine } from "../screen.ts";

const versions: Readonly<Record<string, Renames>> = { "0.3": renames03, "0.3.0": renames03 };

const manyFiles = 100;

interface MigratedFile {
  readonly file: string;
  readonly before: string;
  readonly after: string;
  readonly edits: readonly Edit[];
  readonly notes: readonly Note[];
}

interface FailedFile {
  readonly file: string;
  readonly message: string;
}

type FileResult =
  | { readonly ok: true; readonly before: string; readonly migration: Migration }
  | { readonly ok: false; readonly message: string };

type Parser = Pick<typeof import("oxc-parser"), "parseSync">;

const loadParser = async (): Promise<Parser> =>
  import("oxc-parser").catch(missingPackage("oxc-parser", "haft migrate needs"));

const migrateFile = async (file: string, renames: Renames, parser: Parser): Promise<FileResult> => {
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

const modules = /\.[cm]?[jt]sx?$/;
const skipped = new Set(["node_modules", "dist", ".git"]);

const isConfiguration = (file: string): boolean => /^haft\.config\.\w+$/.test(basename(file));

/** Does not follow symbolic links. */
const findFiles = async (paths: readonly string[]): Promise<readonly string[]> => {
  const files = new Set<string>();
  for (const path of paths) {
    if (!existsSync(path)) throw new CommandUsageError(`${plainText(path)} does not exist.`);
    if (statSync(path).isDirectory()) await addFolder(normalize(path), files);
    else if (modules.test(path) || path.endsWith(".json")) files.add(normalize(path));
    else throw new CommandUsageError(`${plainText(path)} is not a TypeScript, JavaScript or JSON file.`);
  }
  return [...files];
};

const addFolder = async (folder: string, files: Set<string>): Promise<void> => {
  const entries = await readdir(folder, { withFileTypes: true });
  for (const entry of entries.sort((left, right) => (left.name < right.name ? -1 : 1))) {
    const path = join(folder, entry.name);
    if (entry.isDirectory() && !skipped.has(entry.name)) await addFolder(path, files);
    else if (entry.isFile() && isMigrated(entry)) files.add(path);
  }
};

const isMigrated = ({ name }: Dirent): boolean =>
  modules.test(name) || (isConfiguration(name) && name.endsWith(".json"));

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

export const migrate = command({
  operands: "VERSION [PATH]...",
  options: {
    "dry-run": { type: "boolean", about: "print the changes and write nothing" },
    json: jsonValue("the files, their edits and the places to check"),
  },
  examples: [
    {
      line: "haft migrate 0.3",
      about: "change the code and the configuration in this folder from 0.2 to 0.3",
    },
    {
      line: "haft migrate 0.3 src test --dry-run",
      about: "show the changes in two folders and write nothing",
    },
    { line: "haft migrate 0.3 --json", about: "change this folder and list edits and notes for a script" },
  ],
  run: async ({ options, operands, terminal }) => {
    const [version, ...paths] = operands;
    const renames = version === undefined ? undefined : versions[version];
    if (renames === undefined)
      throw new CommandUsageError(
        `${version === undefined ? "haft migrate needs a version." : `There is no migration to "${plainText(version)}".`} Run: haft migrate 0.3`,
      );
    const isDryRun = options["dry-run"] === true;
    const files = await findFiles(paths.length === 0 ? ["."] : paths);
    checkPackage("oxc-parser", "haft migrate needs");
    const parser = await loadParser();
    const bar = progressBar(terminal, options.json === true || files.length < manyFiles);
    const migrated: MigratedFile[] = [];
    const failed: FailedFile[] = [];
    for (const [done, file] of files.entries()) {
      if (terminal.signal.aborted) break;
      bar.show({ done, total: files.length, etaMs: undefined });
      const result = await migrateFile(file, renames, parser);
      if (!result.ok) {
        failed.push({ file, message: result.message });
        continue;
      }
      const { before, migration } = result;
      const { text: after, edits, notes } = migration;
      if (after !== before && !isDryRun && !(await write(file, after)))
        failed.push({ file, message: "cannot be written" });
      else if (edits.length > 0 || notes.length > 0) migrated.push({ file, before, after, edits, notes });
    }
    bar.end();
    if (options.json === true) printJson(migrated, failed, isDryRun, terminal);
    else print(migrated, failed, isDryRun, terminal);
    if (terminal.signal.aborted) return exitCodes.cancelled;
    return failed.length > 0 ? exitCodes.failed : exitCodes.done;
  },
});

const write = async (file: string, text: string): Promise<boolean> => {
  try {
    await writeFile(file, text);
    return true;
  } catch {
    return false;
  }
};

const printJson = (
  migrated: readonly MigratedFile[],
  failed: readonly FailedFile[],
  dryRun: boolean,
  terminal: Terminal,
): void => {
  const files = migrated.map(({ file, before, edits, notes }) => {
    const text = withoutMark(before);
    const changes = edits.map(({ start, end, text: to }) => ({
      line: lineAt(text, start),
      from: text.slice(start, end),
      to,
    }));
    return { file, edits: changes, notes };
  });
  terminal.out(toJsonLine({ version: "0.3", dryRun, files, failed }));
};

const withoutMark = (text: string): string => text.replace(/^\uFEFF/, "");

const print = (
  migrated: readonly MigratedFile[],
  failed: readonly FailedFile[],
  isDryRun: boolean,
  terminal: Terminal,
): void => {
  const { bold, yellow, red } = painter(terminal);
  const changed = migrated.filter(({ edits }) => edits.length > 0);
  for (const each of changed)
    terminal.out(
      isDryRun
        ? difference(each, terminal)
        : `${plainText(each.file)}: ${countText(each.edits.length, "edit")}\n`,
    );
  const noted = migrated.flatMap(({ file, notes }) => notes.map((note) => ({ file, ...note })));
  if (noted.length > 0) terminal.out(`\n${bold("To check by hand")}\n`);
  for (const { file, line, message } of noted)
    terminal.out(`${yellow("!")} ${plainText(file)}:${line}  ${plainText(message)}\n`);
  for (const { file, message } of failed)
    terminal.error(`${red("✗")} ${plainText(file)}: ${plainText(message)}\n`);
  const edits = changed.reduce((sum, each) => sum + each.edits.length, 0);
  const what = `${isDryRun ? "Would change" : "Changed"} ${countText(changed.length, "file")} with ${countText(edits, "edit")}.`;
  const rest = noted.length === 0 ? "" : ` ${countText(noted.length, "place")} to check.`;
  const broken = failed.length === 0 ? "" : ` ${countText(failed.length, "file")} could not be migrated.`;
  terminal.out(`${migrated.length > 0 ? "\n" : ""}${what}${rest}${broken}\n`);
};

const difference = ({ file, before, after }: MigratedFile, terminal: Terminal): string => {
  const { bold, red, green, cyan } = painter(terminal);
  const [old, now] = [before.split("\n"), after.split("\n")];
  const name = plainText(file);
  let shown = `${bold(`--- ${name}`)}\n${bold(`+++ ${name}`)}\n`;
  for (let at = 0; at < old.length; at++) {
    if (old[at] === now[at]) continue;
    const first = at;
    while (at < old.length && old[at] !== now[at]) at += 1;
    const length = at - first;
    const range = length === 1 ? `${first + 1}` : `${first + 1},${length}`;
    shown += `${cyan(`@@ -${range} +${range} @@`)}\n`;
    for (const line of old.slice(first, at)) shown += `${red(`-${shownLine(line)}`)}\n`;
    for (const line of now.slice(first, at)) shown += `${green(`+${shownLine(line)}`)}\n`;
  }
  return shown;
};

/** Control characters could move the cursor. */
const shownLine = (line: string): string => line.replace(/\r$/, "").split("\t").map(plainText).join("\t");
