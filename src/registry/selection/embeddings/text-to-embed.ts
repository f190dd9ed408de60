import type { ToolSpec } from "../../../types/spec.ts";

/** Models read no more than some hundred words, and many take time by the square of what they are given. */
const maxEmbeddedLength = 2000;

/** What of a tool is embedded: the words of its name, then what it says of itself. */
export const toolTextToEmbed = ({ name, description }: ToolSpec): string =>
  clipText(`${nameToWords(name)}. ${description}`);

/** `sayHello` and `say_hello` as a person would write them. */
const nameToWords = (name: string): string =>
  name
    .slice(0, maxEmbeddedLength)
    .replaceAll(/(\p{Ll}|\p{N})(\p{Lu})/gu, "$1 $2")
    .replaceAll(/(\p{Lu})(\p{Lu}\p{Ll})/gu, "$1 $2")
    .replaceAll(/[^\p{L}\p{N}]+/gu, " ")
    .trim()
    .toLowerCase();

export const queryTextToEmbed = (query: string): string => clipText(query);

const clipText = (text: string): string => text.slice(0, maxEmbeddedLength).toWellFormed().trim();
