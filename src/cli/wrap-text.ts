import { displayWidth, padToWidth } from "../base/text/display-width.ts";

export const wrapText = (text: string, width: number): readonly string[] => {
  const lines: string[] = [];
  for (const word of text.split(" ")) {
    const last = lines.at(-1);
    if (last !== undefined && displayWidth(last) + 1 + displayWidth(word) <= width)
      lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
};

const minTextWidth = 24;

export const twoColumns = (
  rows: readonly (readonly [string, string])[],
  width: number,
): readonly string[] => {
  const beside = Math.max(0, ...rows.map(([name]) => displayWidth(name))) + 2;
  const isBelow = width - beside < minTextWidth;
  const indent = " ".repeat(isBelow ? 6 : beside);
  return rows.flatMap(([name, about]) => {
    const [first = "", ...rest] = wrapText(about, Math.max(minTextWidth, width - indent.length));
    const below = rest.map((line) => indent + line);
    return isBelow ? [name, indent + first, ...below] : [padToWidth(name, beside) + first, ...below];
  });
};
