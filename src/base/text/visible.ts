import { headOf } from "./cut-text.ts";

/** Characters that are not seen, or change how others are seen. Line breaks and tabs are told apart by their callers. */
const unseen = /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]/gu;

const named = (character: string): string =>
  `<U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, "0")}>`;

/** The text with every unseen character written out, such as <U+E0041>. */
export const visible = (text: string): string =>
  text.replace(unseen, (character) =>
    character === "\n" || character === "\t" ? character : named(character),
  );

/** In one line, and not longer than `most`: foreign words in a sentence of ours. */
export const shown = (text: string, most = 80): string => {
  const line = visible(text.slice(0, most * 2)).replace(/\s+/g, " ");
  return text.length > most * 2 || line.length > most ? `${headOf(line, most - 1)}…` : line;
};

/** What stands around a place in a text. */
export const excerptAt = (text: string, at: number, length = 1): string => {
  const start = Math.max(0, at - 30);
  const end = Math.min(text.length, at + Math.min(length, 60) + 30);
  const cut = visible(text.slice(start, end)).replace(/\s+/g, " ");
  return `${start > 0 ? "…" : ""}${cut}${end < text.length ? "…" : ""}`;
};
