import type { ToolSpec } from "../../../types/spec.ts";

/** Models read some hundred words at most, and many take quadratic time. */
const maxEmbeddedLength = 2000;

export const toolTextToEmbed = ({ name, description }: ToolSpec): string =>
  clipText(`${nameToWords(name)}. ${description}`);

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
