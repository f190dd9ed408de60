import { type CommandEntry, exitCodes, type LoadedCommand, type Option, type Terminal } from "./command.ts";
import { painter } from "./screen.ts";
import { pairs, wrapped } from "./wrap.ts";

/** The front page: every command in a line. */
export const overview = (commands: readonly CommandEntry[], terminal: Terminal): string => {
  const { bold, dim } = painter(terminal);
  const { width } = terminal;
  return [
    ...wrapped(
      "The tool runtime for AI agents: no tool call runs unseen, unvalidated, unauthorized, or twice.",
      width,
    ),
    "",
    bold("Usage"),
    "  haft COMMAND [options]",
    "",
    bold("Commands"),
    ...pairs(
      commands.map(({ name, about }) => [`  haft ${name}`, about]),
      width,
    ),
    "",
    ...wrapped(
      "haft COMMAND --help tells more of one. --version says which haft this is. NO_COLOR is honored.",
      width,
    ).map(dim),
    "",
  ].join("\n");
};

export const helpFor = (command: LoadedCommand, terminal: Terminal): string => {
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
    ...wrapped(command.about, width),
    "",
    bold("Usage"),
    `  haft ${command.name} ${command.operands} [options]`.replaceAll("  [", " ["),
    "",
    bold("Options"),
    ...pairs(options, width),
    "",
    bold("Examples"),
    // A line that is to be pasted stays whole, however narrow the screen is.
    ...command.examples.flatMap(({ line, about }) => [
      `  ${line}`,
      ...wrapped(about, width - 6).map((part) => `      ${dim(part)}`),
    ]),
    "",
    ...wrapped(`Exit codes: ${codes.join(", ")}.`, width).map(dim),
    "",
  ].join("\n");
};

const help: Option = { type: "boolean", about: "say this" };
