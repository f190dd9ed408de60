import type { ToolSpec } from "../../words/spec.ts";
import { splitWords } from "../keyword-score.ts";

/** Models read no more than some hundred words, and many take time by the square of what they are given. */
const mostCharacters = 2000;

/** What of a tool is embedded: the words of its name, then what it says of itself. */
export const textOfTool = ({ name, description }: ToolSpec): string =>
  clipped(`${splitWords(name).join(" ")}. ${description}`);

export const textOfQuery = (query: string): string => clipped(query);

const clipped = (text: string): string => text.slice(0, mostCharacters).toWellFormed().trim();
