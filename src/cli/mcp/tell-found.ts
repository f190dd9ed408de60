import type { FoundServer } from "../../mcp/discover/found-server.ts";
import { isStdio } from "../../words/mcp.ts";
import { type Column, type Layout, listed } from "../columns.ts";
import type { Terminal } from "../command.ts";
import { painter, plain, toJsonLine } from "../screen.ts";
import { transportOf } from "./describe-server.ts";

/** Names of variables and headers, never what they are set to. */
export const foundAsJson = ({ id, from, config, problems, shown, needsInput }: FoundServer) => ({
  id,
  ...from,
  transport: config === undefined ? null : transportOf(config),
  shown,
  ...(config === undefined || isStdio(config) ? {} : { headers: Object.keys(config.headers ?? {}) }),
  ...(config !== undefined && isStdio(config) ? { env: Object.keys(config.env ?? {}) } : {}),
  needsInput,
  problems,
});

const layouts = (): readonly Layout<FoundServer>[] => {
  const id: Column<FoundServer> = { title: "ID", cell: (found) => found.id };
  const from: Column<FoundServer> = {
    title: "FROM",
    cell: ({ from: { client, scope } }) => (scope === "user" ? client : `${client} (${scope})`),
  };
  const transport: Column<FoundServer> = {
    title: "TRANSPORT",
    cell: ({ config }) => (config === undefined ? "" : transportOf(config)),
  };
  const command: Column<FoundServer> = { title: "COMMAND", cell: ({ shown }) => plain(shown), least: 24 };
  return [
    [id, from, transport, command],
    [id, from, command],
    [{ ...id, most: 16 }, command],
  ];
};

/** What was found, what is wrong with it, and what to do next. */
export const tellFound = (found: readonly FoundServer[], isJson: boolean, terminal: Terminal): void => {
  if (isJson) {
    for (const each of found) terminal.out(toJsonLine(foundAsJson(each)));
    return;
  }
  const { yellow, dim } = painter(terminal);
  const usable = found.filter(({ config }) => config !== undefined);
  if (usable.length > 0) terminal.out(listed(layouts(), usable, terminal));
  for (const { problems } of found) {
    for (const problem of problems) terminal.error(`${yellow("!")} ${plain(problem)}\n`);
  }
  const next =
    usable.length === 0
      ? "No program here has MCP servers. haft mcp add ID -- command adds one of your own."
      : "Nothing was started. haft mcp add ID takes one over.";
  terminal.error(`${dim(next)}\n`);
};
