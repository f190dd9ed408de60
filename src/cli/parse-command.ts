import { parseArgs } from "node:util";
import type { LoadedCommand, Option, Options, OptionValues } from "./command.ts";
import { CommandUsageError } from "./command-usage-error.ts";

export interface ParsedCommand<All extends Options> {
  readonly options: OptionValues<All>;
  readonly operands: readonly string[];
}

export const parseCommand = async (
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
