import { exitCodes, loadCommand, type Option, type Terminal } from "../../src/cli/command.ts";
import { commands } from "../../src/cli/commands.ts";
import { commandHelp } from "../../src/cli/help.ts";
import { anchors, type Page } from "./page.ts";

const meanings: Readonly<Record<keyof typeof exitCodes, string>> = {
  done: "The command succeeded.",
  failed: "The command failed: a call was refused, a row is broken, a definition changed.",
  misused: "An argument, or a file that it names, is invalid.",
  pending: "Approval is required: `haft approvals` lists the requests.",
  stopped: "A stop policy or the provider ended the run.",
  untrusted:
    "This user has not trusted the folder, or has not accepted what it would start. The error and `--json` name the command that does; see [trust](../guides/trust.md).",
  unauthorized: "The command needs a person at a terminal, or the operator secret.",
  cancelled: "Ctrl-C.",
};

/** No color, not interactive, and a width that fits a page. */
const terminal = { hasColor: false, width: 110 } as Terminal;

/** The help of every command. */
export const commandsPage = async (): Promise<Page> => {
  const links = anchors(commands.map(({ name }) => `haft ${name}`));
  const codes = Object.entries(exitCodes).map(
    ([name, code]) => `| ${code} | ${name} | ${meanings[name as keyof typeof exitCodes]} |`,
  );
  const loaded = await Promise.all(commands.map(loadCommand));
  const shapes = loaded.flatMap(({ name, options }, at) => {
    const { prints, about } = (options.json ?? {}) as Partial<Option>;
    if (prints === undefined) return [];
    return [
      `| [\`haft ${name}\`](#${links[at]}) | ${prints === "value" ? "one line" : "a line each"} | ${about} |`,
    ];
  });
  const sections = loaded.map((command) => {
    const help = commandHelp(command, terminal).replace(/\n*Exit codes:[\s\S]*$/, "");
    return `## haft ${command.name}\n\n\`\`\`text\n${help.trimEnd()}\n\`\`\``;
  });
  const text = [
    "# Commands",
    "<!-- Generated from src/cli by `npm run reference`. -->",
    "`haft COMMAND --help` prints the same. Every command reads `haft.config.ts` (or `.mts`, `.js`, `.mjs`, `.json`) in its\nfolder, if there is one; `--config` selects another. [Configuration](configuration.md) has its fields.",
    ["| exit code | name | meaning |", "|---|---|---|", ...codes].join("\n"),
    "With `--json`, every line on standard output is a complete JSON object. A command with one result prints one line. A command that\nlists things or follows the log (`haft log --follow`) prints a line for each, and nothing if there are none. Text for people\ngoes to standard error. `haft serve` without `--http` speaks MCP over standard output, so there its lines go to standard error.",
    ["| command | prints | `--json` |", "|---|---|---|", ...shapes].join("\n"),
    commands.map(({ name, about }, at) => `- [\`haft ${name}\`](#${links[at]}): ${about}`).join("\n"),
    ...sections,
  ];
  return { file: "commands.md", text: `${text.join("\n\n")}\n` };
};
