import { displayWidth, padToWidth } from "../base/text/display-width.ts";
import { type CommandEntry, exitCodes, type LoadedCommand, type Option, type Terminal } from "./command.ts";
import { painter } from "./screen.ts";

export const helpOverview = (commands: readonly CommandEntry[], terminal: Terminal): string => {
  const { bold, dim } = painter(terminal);
  const { width } = terminal;
  return [
    ...wrapText(
      "The tool runtime for AI agents: no tool call runs unseen, unvalidated, unauthorized, or twice.",
      width,
    ),
    "",
    bold("Usage"),
    "  haft COMMAND [options]",
    "",
    bold("Commands"),
    ...twoColumns(
      commands.map(({ name, about }) => [`  haft ${name}`, about]),
      width,
    ),
    "",
    ...wrapText(
      "haft COMMAND --help shows its options. --version prints the version. NO_COLOR is honored.",
      width,
    ).map(dim),
    "",
  ].join("\n");
};

export const commandHelp = (command: LoadedCommand, terminal: Terminal): string => {
  const { bold, dim } = painter(terminal);
  const { width } = terminal;
  const options = Object.entries<Option>({ ...command.options, help }).map(([name, option]) => {
    const value = option.type === "string" ? ` ${option.value ?? "VALUE"}` : "";
    const choices = option.choices === undefined ? "" : ` (${option.choices.join(", ")})`;
    const short = option.short === undefined ? "    " : `-${option.short}, `;
    return [`  ${short}--${name}${value}`, option.about + choices] as const;
  });
  const codes = Object.entries(exitCodes).map(([name, code]) => `${code} ${name}`);
  return [
    ...wrapText(command.about, width),
    "",
    bold("Usage"),
    `  haft ${command.name} ${command.operands} [options]`.replaceAll("  [", " ["),
    "",
    bold("Options"),
    ...twoColumns(options, width),
    "",
    bold("Examples"),
    // Not wrapped, so that it can be pasted.
    ...command.examples.flatMap(({ line, about }) => [
      `  ${line}`,
      ...wrapText(about, width - 6).map((part) => `      ${dim(part)}`),
    ]),
    "",
    ...wrapText(`Exit codes: ${codes.join(", ")}.`, width).map(dim),
    "",
  ].join("\n");
};

const help: Option = { type: "boolean", about: "show this help" };

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
  const nameWidth = Math.max(0, ...rows.map(([name]) => displayWidth(name))) + 2;
  const isBelow = width - nameWidth < minTextWidth;
  const indent = " ".repeat(isBelow ? 6 : nameWidth);
  return rows.flatMap(([name, about]) => {
    const [first = "", ...rest] = wrapText(about, Math.max(minTextWidth, width - indent.length));
    const below = rest.map((line) => indent + line);
    return isBelow ? [name, indent + first, ...below] : [padToWidth(name, nameWidth) + first, ...below];
  });
};
