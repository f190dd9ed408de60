import { parseArgs } from "node:util";
import {
  type CommandEntry,
  CommandUsageError,
  exitCodes,
  type LoadedCommand,
  loadCommand,
  type Option,
  type Options,
  type OptionValues,
  type Terminal,
} from "./command.ts";
import { commandHelp, helpOverview } from "./help.ts";
import { painter, plainText, toJsonLine } from "./screen.ts";
import { packageVersion } from "./version.ts";

/** Prints any error as one line. Never throws. */
export const runCommandLine = async (
  words: readonly string[],
  commands: readonly CommandEntry[],
  terminal: Terminal,
): Promise<number> => {
  try {
    return await dispatch(words, commands, terminal);
  } catch (error) {
    if (terminal.unread.aborted && error === terminal.unread.reason) return exitCodes.done;
    const { red } = painter(terminal);
    terminal.error(`${red("haft:")} ${errorText(error)}\n`);
    if (terminal.signal.aborted) return exitCodes.cancelled;
    const refusal = refusalResult(error);
    if (refusal !== undefined) {
      if (wantsJson(words) && !ownsStdout(words)) terminal.out(toJsonLine(refusal.json));
      return refusal.code;
    }
    return (await isUsageError(error)) ? exitCodes.misused : exitCodes.failed;
  }
};

/** By name, because importing the trust module would slow down other commands. */
const refusalResult = (error: unknown): { readonly json: object; readonly code: number } | undefined => {
  if (!(error instanceof Error) || !("json" in error)) return undefined;
  const json = error.json as object;
  if (error.name === "UntrustedError") return { json, code: exitCodes.untrusted };
  return error.name === "OperatorRequiredError" ? { json, code: exitCodes.unauthorized } : undefined;
};

const wantsJson = (words: readonly string[]): boolean => wordsBeforeDashes(words).includes("--json");

const ownsStdout = (words: readonly string[]): boolean =>
  words[0] === "serve" && !wordsBeforeDashes(words).includes("--http");

const wordsBeforeDashes = (words: readonly string[]): readonly string[] => {
  const end = words.indexOf("--");
  return words.slice(0, end < 0 ? words.length : end);
};

const dispatch = async (
  words: readonly string[],
  commands: readonly CommandEntry[],
  terminal: Terminal,
): Promise<number> => {
  const [first, second] = words;
  if (first === undefined || first === "--help" || first === "-h" || first === "help") {
    const about = first === "help" ? findCommand(commands, second, words.slice(1)) : undefined;
    terminal.out(
      about === undefined
        ? helpOverview(commands, terminal)
        : commandHelp(await loadCommand(about.command), terminal),
    );
    return first === undefined ? exitCodes.misused : exitCodes.done;
  }
  if (first === "--version" || first === "-v") {
    terminal.out(`${packageVersion()}\n`);
    return exitCodes.done;
  }
  const found = findCommand(commands, first, words);
  const family = commands.filter(({ name }) => name.startsWith(`${first} `));
  if (found === undefined && family.length > 0 && asksForHelp(words)) {
    const loaded = await Promise.all(family.map(loadCommand));
    terminal.out(loaded.map((each) => commandHelp(each, terminal)).join("\n"));
    return exitCodes.done;
  }
  if (found === undefined) throw new CommandUsageError(await unknownCommandMessage(words, commands));
  const command = await loadCommand(found.command);
  const rest = words.slice(found.length);
  if (asksForHelp(rest)) {
    terminal.out(commandHelp(command, terminal));
    return exitCodes.done;
  }
  const commandTerminal = command.onlyTells === true ? stopWhenUnread(terminal) : terminal;
  return command.run({ ...(await parseCommand(command, rest)), terminal: commandTerminal });
};

interface ParsedCommand<All extends Options> {
  readonly options: OptionValues<All>;
  readonly operands: readonly string[];
}

const parseCommand = async (
  command: LoadedCommand,
  words: readonly string[],
): Promise<ParsedCommand<Options>> => {
  const known = Object.fromEntries(
    Object.entries<Option>(command.options).map(([name, { type, short, multiple }]) => [
      name,
      { type, ...(short === undefined ? {} : { short }), ...(multiple === undefined ? {} : { multiple }) },
    ]),
  );
  const { values, positionals } = await parseWords(
    command,
    joinNegativeNumbers(words, command.options),
    known,
  );
  for (const [name, value] of Object.entries(values)) checkChoice(command.options[name], name, value);
  return { options: values as OptionValues<Options>, operands: positionals };
};

/** A negative number looks like an option. */
const joinNegativeNumbers = (words: readonly string[], options: Options): readonly string[] => {
  const taking = new Set(
    Object.entries(options)
      .filter(([, { type }]) => type === "string")
      .flatMap(([name, { short }]) => [`--${name}`, `-${short}`]),
  );
  const joined: string[] = [];
  for (const word of words) {
    const before = joined.at(-1);
    if (before === undefined || joined.includes("--") || !taking.has(before) || !/^-\d/.test(word)) {
      joined.push(word);
    } else joined[joined.length - 1] = before.startsWith("--") ? `${before}=${word}` : before + word;
  }
  return joined;
};

const parseWords = async (command: LoadedCommand, words: readonly string[], options: object) => {
  try {
    return parseArgs({ args: [...words], options: options as never, allowPositionals: true, strict: true });
  } catch (error) {
    const why = error instanceof Error ? error.message.split(". ")[0] : String(error);
    const hint = await optionSuggestion(String(why), Object.keys(options), command.replaced);
    throw new CommandUsageError(`${why}.${hint} Try: haft ${command.name} --help`);
  }
};

const optionSuggestion = async (
  why: string,
  names: readonly string[],
  replaced: LoadedCommand["replaced"] = {},
): Promise<string> => {
  const [, given] = /^Unknown option '--([^']+)'/.exec(why) ?? [];
  if (given === undefined) return "";
  if (Object.hasOwn(replaced, given)) return ` ${replaced[given]}`;
  const { nearest } = await import("../base/text/nearest.ts");
  const near = nearest(given, names);
  return near === undefined ? "" : ` Did you mean --${near}?`;
};

const checkChoice = (option: Option | undefined, name: string, value: unknown): void => {
  const choices = option?.choices;
  if (choices === undefined) return;
  const wrong = [value].flat().find((each) => !choices.includes(String(each)));
  if (wrong !== undefined)
    throw new CommandUsageError(`--${name} must be one of ${choices.join(", ")}, not "${wrong}".`);
};

const stopWhenUnread = (terminal: Terminal): Terminal => ({
  ...terminal,
  signal: AbortSignal.any([terminal.signal, terminal.unread]),
});

const findCommand = (
  commands: readonly CommandEntry[],
  first: string | undefined,
  words: readonly string[],
) => {
  if (first === undefined) return undefined;
  const both = commands.find(({ name }) => name === words.slice(0, 2).join(" "));
  if (both !== undefined) return { command: both, length: 2 };
  const one = commands.find(({ name }) => name === first);
  return one === undefined ? undefined : { command: one, length: 1 };
};

const asksForHelp = (words: readonly string[]): boolean =>
  wordsBeforeDashes(words).some((word) => word === "--help" || word === "-h");

const unknownCommandMessage = async (
  words: readonly string[],
  commands: readonly CommandEntry[],
): Promise<string> => {
  const [word = "", second = ""] = words;
  const { nearest } = await import("../base/text/nearest.ts");
  const names = commands.map(({ name }) => name);
  const longer = names.filter((name) => name.startsWith(`${word} `));
  // The first word of a two-word command may be misspelled too: `mpc list`.
  const beginnings = new Set(names.flatMap((name) => name.split(" ", 1)));
  const near = nearest(`${word} ${second}`, names) ?? nearest(word, [...names, ...beginnings]);
  const hint = near === undefined || near === word ? "" : ` Did you mean haft ${near}?`;
  if (longer.length > 0)
    return `This command is incomplete. Use one of: haft ${longer.join(", haft ")}.${hint}`;
  return `There is no command "${plainText(word)}".${hint} haft --help lists them.`;
};

const isUsageError = async (error: unknown): Promise<boolean> => {
  if (error instanceof CommandUsageError) return true;
  const { ToolError } = await import("../types/errors.ts");
  return ToolError.is(error) && error.name === "ConfigurationError";
};

const errorText = (error: unknown): string =>
  error instanceof Error
    ? (systemErrorText(error) ?? error.message)
    : `a value that is not an error was thrown: ${String(error)}`;

const systemErrorTexts: Readonly<Record<string, string>> = {
  EACCES: "this user has no permission",
  EPERM: "this user has no permission",
  EROFS: "the file system is read-only",
  ENOENT: "it does not exist, or its folder does not exist",
  EISDIR: "it is a folder, not a file",
  ENOTDIR: "a part of its path is a file, not a folder",
  EEXIST: "the file already exists",
  ENOSPC: "the disk is full",
  EDQUOT: "the disk is full",
  EMFILE: "too many files are open",
  ENAMETOOLONG: "its name is too long",
};

const systemErrorText = (error: unknown): string | undefined => {
  if (!(error instanceof Error) || !("syscall" in error)) return undefined;
  const { code = "", path, dest } = error as NodeJS.ErrnoException & { readonly dest?: string };
  const why = systemErrorTexts[code];
  if (why === undefined || path === undefined) return undefined;
  return `${(dest ?? path).replace(/\.new$/, "")} cannot be used: ${why}.`;
};
