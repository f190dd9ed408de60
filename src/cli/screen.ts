import type { ExperimentProgress } from "../agent/experiments/options.ts";
import { cutToWidth, displayWidth, shortenToWidth } from "../base/text/display-width.ts";
import type { Terminal } from "./command.ts";

const ansiCodes = {
  bold: [1, 22],
  dim: [2, 22],
  red: [31, 39],
  green: [32, 39],
  yellow: [33, 39],
  cyan: [36, 39],
} as const;

export type ColorFunctions = Readonly<Record<keyof typeof ansiCodes, (text: string) => string>>;

export const painter = ({ hasColor }: Pick<Terminal, "hasColor">): ColorFunctions => {
  const paint =
    ([on, off]: readonly [number, number]) =>
    (text: string) =>
      hasColor && text !== "" ? `\u001b[${on}m${text}\u001b[${off}m` : text;
  return Object.fromEntries(
    Object.entries(ansiCodes).map(([name, pair]) => [name, paint(pair)]),
  ) as ColorFunctions;
};

/** Untrusted text must not move the cursor. */
export const plainText = (text: string): string => text.replace(/[\p{Cc}\p{Cf}]+/gu, " ");

/** Indents the following lines, so that none looks like our own output. */
export const plainLines = (text: string): string => text.split(/\r?\n/).map(plainText).join("\n  ");

const ownEscapePattern = /\[(?:1|2|22|31|32|33|36|39)m|\[2K/y;

/** Other escape sequences could move the cursor or hide a prompt. */
export const sanitizeForTerminal = (text: string): string => {
  let clean = "";
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === 27) {
      ownEscapePattern.lastIndex = at + 1;
      const own = ownEscapePattern.exec(text)?.[0];
      if (own === undefined) continue;
      clean += text[at] + own;
      at += own.length;
    } else if (code === 9 || code === 10 || code === 13 || (code >= 32 && code < 127) || code > 159)
      clean += text[at];
  }
  return clean;
};

/** Escapes invisible characters, which does not change the value. */
export const toJsonLine = (value: unknown): string =>
  `${JSON.stringify(value).replace(/[\u007f-\u009f\p{Cf}]/gu, (sign) => unicodeEscape(sign))}\n`;

const unicodeEscape = (sign: string): string =>
  [...Array(sign.length).keys()]
    .map((at) => `\\u${sign.charCodeAt(at).toString(16).padStart(4, "0")}`)
    .join("");

export const shortenToColumns = (text: string, columns: number): string =>
  shortenToWidth(plainText(text), columns);

const escapeCharacter = String.fromCharCode(27);
const colorPattern = new RegExp(`${escapeCharacter}\\[\\d+m`, "g");

export const withoutColors = (text: string): string => text.replace(colorPattern, "");

export const visibleWidth = (text: string): number => displayWidth(withoutColors(text));

const emptyColorPattern = new RegExp(
  `${escapeCharacter}\\[(?:1|2|3\\d)m${escapeCharacter}\\[(?:22|39)m`,
  "g",
);

export const truncateLine = (line: string, width: number): string => {
  let [kept, left, at] = ["", Math.max(0, width - 1), 0];
  const keep = (part: string): void => {
    const shown = cutToWidth(part, left);
    kept += shown;
    left = shown === part ? left - displayWidth(shown) : 0;
  };
  for (const { 0: color, index } of line.matchAll(colorPattern)) {
    keep(line.slice(at, index));
    kept += color;
    at = index + color.length;
  }
  keep(line.slice(at));
  return `${kept}…`.replace(emptyColorPattern, "");
};

export const alignColumns = (rows: readonly (readonly string[])[], width: number): string => {
  const columns = Math.max(0, ...rows.map((row) => row.length));
  const widths = Array.from({ length: columns }, (_, column) =>
    rows.reduce((most, row) => Math.max(most, visibleWidth(row[column] ?? "")), 0),
  );
  const lines = rows.map((row) => {
    const line = row
      .map((cell, column) =>
        column === columns - 1 ? cell : cell + " ".repeat(widths[column]! - visibleWidth(cell)),
      )
      .join("  ");
    return visibleWidth(line) > width ? truncateLine(line, width) : line.trimEnd();
  });
  return lines.join("\n");
};

export const renderTitledTable = (
  head: readonly string[],
  rows: readonly (readonly string[])[],
  terminal: Pick<Terminal, "hasColor" | "width">,
): string => {
  const [first, ...lines] = alignColumns([head, ...rows], terminal.width).split("\n");
  return `${[painter(terminal).bold(first ?? ""), ...lines].join("\n")}\n`;
};

const barWidth = 30;

export const progressBar = (terminal: Terminal, isSilent: boolean) => {
  const isShown = terminal.isInteractive && !isSilent;
  const { green, dim } = painter(terminal);
  const show = ({ done, total, etaMs }: ExperimentProgress): void => {
    if (!isShown) return;
    const filled = Math.round((barWidth * done) / Math.max(1, total));
    const left = etaMs === undefined ? "" : `, ${Math.ceil(etaMs / 1_000)} s left`;
    terminal.error(
      `\r${green("█".repeat(filled))}${dim("░".repeat(barWidth - filled))} ${done} of ${total}${left}   `,
    );
  };
  const end = (): void => {
    if (isShown) terminal.error("\r\u001b[2K");
  };
  return { show, end };
};

export const countText = (amount: number, noun: string): string =>
  `${amount} ${noun}${amount === 1 ? "" : "s"}`;
