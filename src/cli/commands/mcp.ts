import { type DiscoveredServer, mcpClientApps } from "../../mcp/discovery/discovered-server.ts";
import { readServersFile, writeServersFile } from "../../mcp/discovery/servers-file.ts";
import { isStdioServer } from "../../types/mcp.ts";
import { CommandUsageError, command, exitCodes, jsonLines, jsonValue, type Terminal } from "../command.ts";
import { type Column, renderTable, type TableLayout } from "../fit-table.ts";
import {
  configuredOptions,
  configuredServers,
  describeServer,
  fileOption,
  serverLines,
  serverTransport,
} from "../mcp/configured-servers.ts";
import { discoverServers, projectOption } from "../mcp/discover-servers.ts";
import { type OpenServers, printServers } from "../mcp/print-servers.ts";
import { serversFile } from "../read-configuration.ts";
import { painter, plainText, toJsonLine } from "../screen.ts";

/** Contains no values of variables and headers. */
const discoveredToJson = ({ id, from, config, problems, shown, needsInput }: DiscoveredServer) => ({
  id,
  ...from,
  transport: config === undefined ? null : serverTransport(config),
  shown,
  ...(config === undefined || isStdioServer(config) ? {} : { headers: Object.keys(config.headers ?? {}) }),
  ...(config !== undefined && isStdioServer(config) ? { env: Object.keys(config.env ?? {}) } : {}),
  needsInput,
  problems,
});

const discoveredLayouts = (): readonly TableLayout<DiscoveredServer>[] => {
  const id: Column<DiscoveredServer> = { title: "ID", cell: (found) => found.id };
  const from: Column<DiscoveredServer> = {
    title: "FROM",
    cell: ({ from: { client, scope } }) => (scope === "user" ? client : `${client} (${scope})`),
  };
  const transport: Column<DiscoveredServer> = {
    title: "TRANSPORT",
    cell: ({ config }) => (config === undefined ? "" : serverTransport(config)),
  };
  const command: Column<DiscoveredServer> = {
    title: "COMMAND",
    cell: ({ shown }) => plainText(shown),
    least: 24,
  };
  return [
    [id, from, transport, command],
    [id, from, command],
    [{ ...id, most: 16 }, command],
  ];
};

const printDiscovered = (found: readonly DiscoveredServer[], isJson: boolean, terminal: Terminal): void => {
  if (isJson) {
    for (const each of found) terminal.out(toJsonLine(discoveredToJson(each)));
    return;
  }
  const { yellow, dim } = painter(terminal);
  const usable = found.filter(({ config }) => config !== undefined);
  if (usable.length > 0) terminal.out(renderTable(discoveredLayouts(), usable, terminal));
  for (const { problems } of found) {
    for (const problem of problems) terminal.error(`${yellow("!")} ${plainText(problem)}\n`);
  }
  const next =
    usable.length === 0
      ? "No program on this machine has MCP servers. haft mcp add ID -- command adds a new one."
      : "No server was started. Add one with haft mcp add ID.";
  terminal.error(`${dim(next)}\n`);
};

export const mcpDiscover = command({
  operands: "",
  options: {
    from: { type: "string", value: "CLIENT", choices: mcpClientApps, about: "only servers of this program" },
    project: projectOption,
    json: jsonLines("each server that was found"),
  },
  examples: [
    { line: "haft mcp discover", about: "Claude, VS Code, Cursor, Windsurf, Zed, Gemini and Codex" },
    { line: "haft mcp discover --from cursor --json", about: "servers of Cursor, for a script" },
  ],
  onlyTells: true,
  run: async ({ options, operands, terminal }) => {
    if (operands.length > 0)
      throw new CommandUsageError(
        "haft mcp discover accepts no operands. haft mcp show ID shows one server.",
      );
    const found = await discoverServers(options, terminal);
    const { from } = options;
    printDiscovered(
      from === undefined ? found : found.filter((each) => each.from.client === from),
      options.json === true,
      terminal,
    );
    return exitCodes.done;
  },
});

export const mcpRemove = command({
  operands: "ID",
  options: { file: fileOption, json: jsonValue("what was removed") },
  examples: [
    {
      line: "haft mcp remove github",
      about: "its tools are no longer available when a runtime is opened next",
    },
  ],
  run: async ({ options, operands, terminal }) => {
    const [id, ...more] = operands;
    if (id === undefined || more.length > 0)
      throw new CommandUsageError("haft mcp remove requires one id. haft mcp list --offline lists them.");
    const file = options.file ?? serversFile;
    const servers = await readServersFile(file);
    if (!Object.hasOwn(servers, id)) {
      const ids = Object.keys(servers).join(", ");
      throw new CommandUsageError(
        `${file} has no server "${plainText(id)}"${ids === "" ? "" : `; it has ${ids}`}. Remove servers of a configuration file in that file.`,
      );
    }
    await writeServersFile(file, id, undefined);
    terminal.out(
      options.json === true ? toJsonLine({ id, file, removed: true }) : `removed ${id} from ${file}\n`,
    );
    return exitCodes.done;
  },
});

export const mcpList = (openServers?: OpenServers) =>
  command({
    operands: "",
    options: {
      offline: { type: "boolean", about: "do not connect; show only the files' contents" },
      ...configuredOptions,
      json: jsonLines("each server"),
    },
    examples: [
      { line: "haft mcp list", about: "status and number of tools of each server" },
      { line: "haft mcp list --offline --json", about: "what is configured, for a script" },
    ],
    run: async ({ options, operands, terminal }) => {
      if (operands.length > 0)
        throw new CommandUsageError("haft mcp list accepts no operands. haft mcp show ID shows one server.");
      const access = options.offline === true || openServers === undefined ? "data" : "run";
      const servers = await configuredServers(options, terminal, access);
      const wanted = servers.filter(({ server }) => server.disabled !== true);
      const byId = Object.fromEntries(wanted.map(({ id, server }) => [id, server]));
      const asks = options.offline !== true && openServers !== undefined && wanted.length > 0;
      const states = asks ? await openServers(byId, terminal, options) : undefined;
      return printServers(servers, states, options.json === true, terminal);
    },
  });

export const mcpShow = command({
  operands: "ID",
  options: { ...configuredOptions, project: projectOption, json: jsonValue("the server") },
  examples: [{ line: "haft mcp show github", about: "a server of this project or of another program" }],
  onlyTells: true,
  run: async ({ options, operands, terminal }) => {
    const [id, ...more] = operands;
    if (id === undefined || more.length > 0)
      throw new CommandUsageError(
        "haft mcp show requires one id. haft mcp list and haft mcp discover list them.",
      );
    const { bold, dim } = painter(terminal);
    const configured = (await configuredServers(options, terminal, "data")).find((each) => each.id === id);
    if (configured !== undefined) {
      const { server, file } = configured;
      if (options.json === true)
        terminal.out(toJsonLine({ ...describeServer(id, server), file, added: true }));
      else
        terminal.out(
          `${bold(id)}${dim(`  ${plainText(file)}`)}\n${serverLines(server).map(plainText).join("\n")}\n`,
        );
      return exitCodes.done;
    }
    const found = (await discoverServers(options, terminal)).find((each) => each.id === id);
    if (found === undefined)
      throw new Error(
        `There is no server "${plainText(id)}". haft mcp list and haft mcp discover list the servers.`,
      );
    if (options.json === true) terminal.out(toJsonLine({ ...discoveredToJson(found), added: false }));
    else {
      const { client, file } = found.from;
      const lines = found.config === undefined ? [] : serverLines(found.config);
      terminal.out(
        [`${bold(id)}${dim(`  not added: ${client}, ${plainText(file)}`)}`, ...lines.map(plainText), ""].join(
          "\n",
        ),
      );
      for (const problem of found.problems)
        terminal.error(`${painter(terminal).yellow("!")} ${plainText(problem)}\n`);
      if (found.config !== undefined) terminal.error(`${dim(`Add it with haft mcp add ${id}.`)}\n`);
    }
    return exitCodes.done;
  },
});
