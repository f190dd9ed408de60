import type { Terminal } from "./command.ts";

const codes = {
  bold: [1, 22],
  dim: [2, 22],
  red: [31, 39],
  green: [32, 39],
  yellow: [33, 39],
  cyan: [36, 39],
} as const;

export type Paint = Readonly<Record<keyof typeof codes, (text: string) => string>>;

/** Colors where somebody sees them, and plain text everywhere else. */
export const painter = ({ hasColor }: Pick<Terminal, "hasColor">): Paint => {
  const paint =
    ([on, off]: readonly [number, number]) =>
    (text: string) =>
      hasColor ? `\u001b[${on}m${text}\u001b[${off}m` : text;
  return Object.fromEntries(Object.entries(codes).map(([name, pair]) => [name, paint(pair)])) as Paint;
};

/** Foreign text must not move the cursor or ring the bell. */
export const plain = (text: string): string => text.replace(/[\p{Cc}\p{Cf}]+/gu, " ");

/** Behind the escape character. */
const ours = /\[(?:1|2|22|31|32|33|36|39)m|\[2K/y;

/** What may go to a terminal: text, line breaks, tabs and our own colors. The rest could move the cursor or hide a question. */
export const forTerminal = (text: string): string => {
  let clean = "";
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === 27) {
      ours.lastIndex = at + 1;
      const own = ours.exec(text)?.[0];
      if (own === undefined) continue;
      clean += text[at] + own;
      at += own.length;
    } else if (code === 9 || code === 10 || code === 13 || (code >= 32 && code < 127) || code > 159)
      clean += text[at];
  }
  return clean;
};

/** Columns as wide as what is in them; the last one is cut at the edge of the screen. */
export const table = (rows: readonly (readonly string[])[], width: number): string => {
  const columns = Math.max(0, ...rows.map((row) => row.length));
  const widths = Array.from({ length: columns }, (_, column) =>
    Math.max(...rows.map((row) => (row[column] ?? "").length)),
  );
  const lines = rows.map((row) => {
    const line = row
      .map((cell, column) => (column === columns - 1 ? cell : cell.padEnd(widths[column]!)))
      .join("  ");
    return line.length > width ? `${line.slice(0, Math.max(0, width - 1))}…` : line.trimEnd();
  });
  return lines.join("\n");
};
