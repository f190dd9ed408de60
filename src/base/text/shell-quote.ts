import { visible } from "./visible.ts";

/**
 * A word as a shell reads it back. Line breaks and invisible characters could add lines to a message or show another
 * command, so their bytes are written out as `$'…'` has them, which POSIX takes since 2024.
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
