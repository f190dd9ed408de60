import { type AnyCommand, exitCodes, type Option, type Terminal } from "./command.ts";
import { painter, table } from "./screen.ts";

/** The front page: every command in a line. */
export const overview = (commands: readonly AnyCommand[], terminal: Terminal): string => {
  const { bold, dim } = painter(terminal);
  const rows = commands.map(({ name, about }) => [`  haft ${name}`, about]);
  return [
    "The tool runtime for AI agents: no tool call runs unseen, unvalidated, unauthorized, or twice.",
    "",
    bold("Usage"),
    "  haft COMMAND [options]",
    "",
    bold("Commands"),
    table(rows, Number.POSITIVE_INFINITY),
    "",
    dim("haft COMMAND --help tells more of one. --version says which haft this is. NO_COLOR is honored."),
    "",
  ].join("\n");
};

export const helpFor = (command: AnyCommand, terminal: Terminal): string => {
  const { bold, dim } = painter(terminal);
  const options = Object.entries<Option>({ ...command.options, help }).map(([name, option]) => {
    const value = option.type === "string" ? ` ${option.value ?? "VALUE"}` : "";
    const choices = option.choices === undefined ? "" : ` (${option.choices.join(", ")})`;
    return [
      `  ${option.short === undefined ? "    " : `-${option.short}, `}--${name}${value}`,
      option.about + choices,
    ];
  });
  const examples = command.examples.flatMap(({ line, about }) => [`  ${line}`, `      ${dim(about)}`]);
  return [
    command.about,
    "",
    bold("Usage"),
    `  haft ${command.name} ${command.operands} [options]`.replaceAll("  [", " ["),
    "",
    bold("Options"),
    table(options, Number.POSITIVE_INFINITY),
    "",
    bold("Examples"),
    ...examples,
    "",
    dim(
      `Exit codes: ${Object.entries(exitCodes)
        .map(([name, code]) => `${code} ${name}`)
        .join(", ")}.`,
    ),
    "",
  ].join("\n");
};

const help: Option = { type: "boolean", about: "say this" };
