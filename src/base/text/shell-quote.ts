import { visible } from "./visible.ts";

/**
 * Line breaks and invisible characters become octal escapes in `$'…'` (POSIX 2024), so that a displayed
 * command cannot mislead.
 */
export const shellQuote = (word: string): string => {
  if (/^[\w@%+=:,./-]+$/.test(word)) return word;
  if (!/[\n\t]/.test(word) && visible(word) === word) return `'${word.replaceAll("'", `'\\''`)}'`;
  const bytes = [...new TextEncoder().encode(word)];
  const written = bytes.map((byte) =>
    byte < 0x20 || byte > 0x7e || byte === 0x27 || byte === 0x5c
      ? `\\${byte.toString(8).padStart(3, "0")}`
      : String.fromCharCode(byte),
  );
  return `$'${written.join("")}'`;
};
