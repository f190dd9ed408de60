import { readFile } from "node:fs/promises";
import { replaceFile } from "../../base/platform/replace-file.ts";
import { checkGramFile } from "../../tools/gram/check-gram-file.ts";
import { type Diagnostic, formatDiagnostic } from "../../tools/gram/format-diagnostic.ts";
import { writeGram } from "../../tools/gram/write-gram.ts";
import { CommandUsageError, command, exitCodes, jsonLines, type Terminal } from "../command.ts";
import { painter, toJsonLine } from "../screen.ts";

export const gramCheck = command({
  operands: "FILE…",
  options: { json: jsonLines("each file with its diagnostics") },
  examples: [
    { line: "haft gram check hello.gram", about: "one file" },
    { line: "haft gram check agents/*.gram --json", about: "several files, for an editor or a script" },
  ],
  run: async ({ options, operands, terminal }) => {
    const files = await readFiles(operands, terminal, "haft gram check");
    const found = files.map(({ file, text }) => ({
      file,
      text,
      diagnostics: checkGramFile(text).diagnostics,
    }));
    if (options.json === true) {
      for (const { file, diagnostics } of found) terminal.out(toJsonLine({ file, diagnostics }));
    } else for (const each of found) printCheckedFile(each, terminal);
    return found.some(({ diagnostics }) => diagnostics.length > 0) ? exitCodes.failed : exitCodes.done;
  },
});

const printCheckedFile = ({ file, text, diagnostics }: CheckedFile, terminal: Terminal): void => {
  const { green, red } = painter(terminal);
  if (diagnostics.length === 0) terminal.out(`${green("ok")}  ${file}\n`);
  for (const diagnostic of diagnostics) {
    const place = `${file}:${diagnostic.line}:${diagnostic.column}`;
    terminal.error(`${red(place)}\n${formatDiagnostic(text, diagnostic)}\n\n`);
  }
};

interface NamedText {
  readonly file: string;
  readonly text: string;
}

interface CheckedFile extends NamedText {
  readonly diagnostics: readonly Diagnostic[];
}

export const gramFormat = command({
  operands: "FILE…",
  options: {
    write: { type: "boolean", short: "w", about: "change the files; without it, the text is printed" },
    check: { type: "boolean", about: "write nothing, and fail if a file would change" },
  },
  examples: [
    { line: "haft gram format hello.gram", about: "print it" },
    { line: "haft gram format --write agents/*.gram", about: "change the files" },
    { line: "cat hello.gram | haft gram format -", about: "from a pipe" },
  ],
  run: async ({ options, operands, terminal }) => {
    const files = await readFiles(operands, terminal, "haft gram format");
    const written = files.map(format);
    for (const each of written) if (each.diagnostics.length > 0) printCheckedFile(each, terminal);
    const isFine = written.every(({ diagnostics }) => diagnostics.length === 0);
    const changed = written.filter(({ text, formatted = text }) => text !== formatted);
    if (options.check === true) {
      for (const { file } of changed) terminal.error(`${file} would change\n`);
      return isFine && changed.length === 0 ? exitCodes.done : exitCodes.failed;
    }
    if (options.write !== true) for (const { formatted = "" } of written) terminal.out(formatted);
    else {
      for (const { file, formatted } of changed) await replaceFile(file, formatted!);
      terminal.out(`${changed.length} of ${written.length} changed\n`);
    }
    return isFine ? exitCodes.done : exitCodes.failed;
  },
});

const format = ({ file, text }: NamedText): CheckedFile & { readonly formatted: string | undefined } => {
  const { document, diagnostics } = checkGramFile(text);
  const unreadable = document === undefined && diagnostics.length > 0;
  const formatted = document === undefined ? text : writeGram(document, { pretty: true });
  return { file, text, diagnostics, formatted: unreadable ? undefined : formatted };
};

/** Reads all files before any is written. */
const readFiles = async (
  files: readonly string[],
  terminal: Terminal,
  name: string,
): Promise<readonly NamedText[]> => {
  if (files.length === 0) throw new CommandUsageError(`${name} requires files, or - for standard input.`);
  return Promise.all(
    files.map(async (file) => {
      if (file === "-") return { file, text: await terminal.input() };
      try {
        return { file, text: await readFile(file, "utf8") };
      } catch (error) {
        const isMissing = (error as NodeJS.ErrnoException).code === "ENOENT";
        throw new CommandUsageError(
          `${file} cannot be read${isMissing ? ": there is no such file. Check the path" : ""}.`,
        );
      }
    }),
  );
};
