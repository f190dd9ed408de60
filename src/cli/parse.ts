import { parseArgs } from "node:util";
import type { AnyCommand, Command, Given, Option, Options } from "./command.ts";
import { Misuse } from "./misuse.ts";

export interface Parsed<All extends Options> {
  readonly options: Given<All>;
  readonly operands: readonly string[];
}

/** Options may stand anywhere; whatever is unknown or has a wrong value is refused by name. */
export const parse = <All extends Options>(command: Command<All>, words: readonly string[]): Parsed<All> => {
  const known = Object.fromEntries(
    Object.entries(command.options).map(([name, { type, short, multiple }]) => [
      name,
      { type, ...(short === undefined ? {} : { short }), ...(multiple === undefined ? {} : { multiple }) },
    ]),
  );
  const { values, positionals } = readWords(command, words, known);
  for (const [name, value] of Object.entries(values)) refuseUnknownChoice(command.options[name], name, value);
  return { options: values as Given<All>, operands: positionals };
};

const readWords = (command: AnyCommand, words: readonly string[], options: object) => {
  try {
    return parseArgs({ args: [...words], options: options as never, allowPositionals: true, strict: true });
  } catch (error) {
    const why = error instanceof Error ? error.message.split(". ")[0] : String(error);
    throw new Misuse(`${why}. Try: haft ${command.name} --help`);
  }
};

const refuseUnknownChoice = (option: Option | undefined, name: string, value: unknown): void => {
  const choices = option?.choices;
  if (choices === undefined) return;
  const wrong = [value].flat().find((each) => !choices.includes(String(each)));
  if (wrong !== undefined)
    throw new Misuse(`--${name} takes ${choices.join(", ")}; "${wrong}" is none of them.`);
};
