import { headOf } from "./cut-text.ts";

const unseen = /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]/gu;

const named = (character: string): string =>
  `<U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, "0")}>`;

/** Writes invisible characters as <U+E0041>. Keeps line breaks and tabs. */
export const visible = (text: string): string =>
  text.replace(unseen, (character) =>
    character === "\n" || character === "\t" ? character : named(character),
  );

/** For untrusted text in a message. */
export const shown = (text: string, most = 80): string => {
  const line = visible(text.slice(0, most * 2)).replace(/\s+/g, " ");
  return text.length > most * 2 || line.length > most ? `${headOf(line, most - 1)}…` : line;
};

export const excerptAt = (text: string, at: number, length = 1): string => {
  const start = Math.max(0, at - 30);
  const end = Math.min(text.length, at + Math.min(length, 60) + 30);
  const cut = visible(text.slice(start, end)).replace(/\s+/g, " ");
  return `${start > 0 ? "…" : ""}${cut}${end < text.length ? "…" : ""}`;
};
