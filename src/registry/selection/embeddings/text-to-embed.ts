import type { ToolSpec } from "../../words/spec.ts";

/** Models read no more than some hundred words, and many take time by the square of what they are given. */
const mostCharacters = 2000;

/** What of a tool is embedded: the words of its name, then what it says of itself. */
export const textOfTool = ({ name, description }: ToolSpec): string =>
  clipped(`${wordsOf(name)}. ${description}`);

/** `sayHello` and `say_hello` as a person would write them. */
const wordsOf = (name: string): string =>
  name
    .slice(0, mostCharacters)
    .replaceAll(/(\p{Ll}|\p{N})(\p{Lu})/gu, "$1 $2")
    .replaceAll(/(\p{Lu})(\p{Lu}\p{Ll})/gu, "$1 $2")
    .replaceAll(/[^\p{L}\p{N}]+/gu, " ")
    .trim()
    .toLowerCase();

export const textOfQuery = (query: string): string => clipped(query);

const clipped = (text: string): string => text.slice(0, mostCharacters).toWellFormed().trim();
