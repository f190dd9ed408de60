import { writeFile } from "node:fs/promises";
import { checkPackage } from "../../base/platform/peer-packages.ts";
import { command, exitCodes, type Terminal } from "../command.ts";
import { CommandUsageError } from "../command-usage-error.ts";
import { jsonValue } from "../json-option.ts";
import { type Edit, lineAt, type Note } from "../migrate/edits.ts";
import { findFiles } from "../migrate/find-files.ts";
import { loadParser, migrateFile } from "../migrate/migrate-file.ts";
import { type Renames, renames03 } from "../migrate/renames-0.3.ts";
import { progressBar } from "../progress-bar.ts";
import { painter, plainText, toJsonLine } from "../screen.ts";

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
        : `${plainText(each.file)}: ${count(each.edits.length, "edit")}\n`,
    );
  const noted = migrated.flatMap(({ file, notes }) => notes.map((note) => ({ file, ...note })));
  if (noted.length > 0) terminal.out(`\n${bold("To check by hand")}\n`);
  for (const { file, line, message } of noted)
    terminal.out(`${yellow("!")} ${plainText(file)}:${line}  ${plainText(message)}\n`);
  for (const { file, message } of failed)
    terminal.error(`${red("✗")} ${plainText(file)}: ${plainText(message)}\n`);
  const edits = changed.reduce((sum, each) => sum + each.edits.length, 0);
  const what = `${isDryRun ? "Would change" : "Changed"} ${count(changed.length, "file")} with ${count(edits, "edit")}.`;
  const rest = noted.length === 0 ? "" : ` ${count(noted.length, "place")} to check.`;
  const broken = failed.length === 0 ? "" : ` ${count(failed.length, "file")} could not be migrated.`;
  terminal.out(`${migrated.length > 0 ? "\n" : ""}${what}${rest}${broken}\n`);
};

const count = (number: number, noun: string): string => `${number} ${noun}${number === 1 ? "" : "s"}`;

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
