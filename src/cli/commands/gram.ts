import { readFile, writeFile } from "node:fs/promises";
import { readAgent, readTools } from "../../gram/agent-file.ts";
import { type Diagnostic, formatDiagnostic } from "../../gram/diagnostic.ts";
import { readGram } from "../../gram/read-gram.ts";
import { validateGram } from "../../gram/validate-gram.ts";
import { writeGram } from "../../gram/write-gram.ts";
import { command, exitCodes, type Terminal } from "../command.ts";
import { Misuse } from "../misuse.ts";
import { painter } from "../screen.ts";

/** What is wrong with a text: the grammar first, then what its agents and tools say, then the rules of any document. */
const problemsOf = (text: string): readonly Diagnostic[] => {
  const reading = readGram(text);
  if (!reading.ok) return reading.diagnostics;
  const { items } = reading.document;
  const has = (label: string): boolean =>
    items.some((item) => item.kind === "bracket" && item.subject.labels.some(({ name }) => name === label));
  if (!has("Agent") && !has("Tool")) return validateGram(reading.document);
  const read = has("Agent") ? readAgent(text) : readTools(text);
  // A name that the file does not define may be a tool that the runtime has.
  const rules = validateGram(reading.document).filter(({ code }) => code !== "undefined-reference");
  return read.ok ? rules : read.diagnostics;
};

export const gramCheck = command({
  operands: "FILE…",
  options: { json: { type: "boolean", about: "print the diagnostics as JSON" } },
  examples: [
    { line: "haft gram check hello.gram", about: "one file" },
    { line: "haft gram check agents/*.gram --json", about: "many, for an editor or a script" },
  ],
  run: async ({ options, operands, terminal }) => {
    const files = await readFiles(operands, terminal, "haft gram check");
    const found = files.map(({ file, text }) => ({ file, text, diagnostics: problemsOf(text) }));
    if (options.json === true) {
      terminal.out(`${JSON.stringify(found.map(({ file, diagnostics }) => ({ file, diagnostics })))}\n`);
    } else for (const each of found) tell(each, terminal);
    return found.some(({ diagnostics }) => diagnostics.length > 0) ? exitCodes.failed : exitCodes.done;
  },
});

const tell = ({ file, text, diagnostics }: CheckedFile, terminal: Terminal): void => {
  const { green, red } = painter(terminal);
  if (diagnostics.length === 0) terminal.out(`${green("ok")}  ${file}\n`);
  for (const diagnostic of diagnostics) {
    const place = `${file}:${diagnostic.line}:${diagnostic.column}`;
    terminal.error(`${red(place)}\n${formatDiagnostic(text, diagnostic)}\n\n`);
  }
};

interface CheckedFile {
  readonly file: string;
  readonly text: string;
  readonly diagnostics: readonly Diagnostic[];
}

export const gramFormat = command({
  operands: "FILE…",
  options: {
    write: { type: "boolean", short: "w", about: "change the files; without it, the text is printed" },
    check: { type: "boolean", about: "change nothing, and fail if a file would change" },
  },
  examples: [
    { line: "haft gram format hello.gram", about: "print it" },
    { line: "haft gram format --write agents/*.gram", about: "change the files" },
    { line: "cat hello.gram | haft gram format -", about: "from a pipe" },
  ],
  run: async ({ options, operands, terminal }) => {
    const files = await readFiles(operands, terminal, "haft gram format");
    const written = files.map(({ file, text }) => ({ file, text, formatted: format(file, text) }));
    const changed = written.filter(({ text, formatted }) => text !== formatted);
    if (options.check === true) {
      for (const { file } of changed) terminal.error(`${file} would change\n`);
      return changed.length === 0 ? exitCodes.done : exitCodes.failed;
    }
    if (options.write !== true) for (const { formatted } of written) terminal.out(formatted);
    else {
      for (const { file, formatted } of changed) await writeFile(file, formatted);
      terminal.out(`${changed.length} of ${written.length} changed\n`);
    }
    return exitCodes.done;
  },
});

const format = (file: string, text: string): string => {
  const reading = readGram(text);
  if (reading.ok) return writeGram(reading.document, { pretty: true });
  const shown = reading.diagnostics.map((diagnostic) => formatDiagnostic(text, diagnostic)).join("\n\n");
  throw new Misuse(`${file} cannot be read.\n\n${shown}`);
};

/** `-` is what is piped in. All are read before anything is written. */
const readFiles = async (
  files: readonly string[],
  terminal: Terminal,
  name: string,
): Promise<readonly { readonly file: string; readonly text: string }[]> => {
  if (files.length === 0) throw new Misuse(`${name} takes files, or - for standard input.`);
  return Promise.all(
    files.map(async (file) => {
      if (file === "-") return { file, text: await terminal.input() };
      try {
        return { file, text: await readFile(file, "utf8") };
      } catch {
        throw new Misuse(`${file} cannot be read.`);
      }
    }),
  );
};
