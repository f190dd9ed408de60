import { nearest } from "../../base/text/nearest.ts";
import { type DiscoveredServer, mcpClientApps } from "../../mcp/discovery/discovered-server.ts";
import type { RequiredSecret } from "../../mcp/discovery/import-server.ts";
import { readServersFile, type ServersById } from "../../mcp/discovery/servers-file.ts";
import type { MaybeSecret, McpServer } from "../../types/mcp.ts";
import { CommandUsageError, command, jsonValue, type Terminal } from "../command.ts";
import { addServer, type McpServerAddition, toAddition } from "../mcp/add-server.ts";
import { fileOption } from "../mcp/configured-servers.ts";
import { discoverServers, projectOption } from "../mcp/discover-servers.ts";
import { serversFile } from "../read-configuration.ts";
import { plainText } from "../screen.ts";
import { serverSecretNames } from "../server-secret-names.ts";

interface McpAddFlags {
  readonly from?: string;
  readonly url?: string;
  readonly header?: readonly string[];
  readonly env?: readonly string[];
  readonly project?: string;
}

export const mcpAdd = command({
  operands: "ID [-- COMMAND ARGS…]",
  options: {
    from: {
      type: "string",
      value: "CLIENT",
      choices: mcpClientApps,
      about: "the program that configures it",
    },
    url: { type: "string", value: "URL", about: "the URL of a remote server" },
    header: {
      type: "string",
      multiple: true,
      value: "NAME=SECRET",
      about: "with --url: a header, and the name of the secret with its value",
    },
    env: {
      type: "string",
      multiple: true,
      value: "NAME[=SECRET]",
      about: "with a command: a variable, and the name of the secret with its value",
    },
    project: projectOption,
    file: fileOption,
    yes: { type: "boolean", about: "do not ask" },
    json: jsonValue("what was added"),
  },
  examples: [
    { line: "haft mcp add github", about: "a server that haft mcp discover lists" },
    {
      line: "haft mcp add github --from cursor",
      about: "if several programs configure a server of this name",
    },
    {
      line: "haft mcp add files -- npx -y @modelcontextprotocol/server-filesystem@2026.8.31 .",
      about: "a command; it is shown before anything is written",
    },
    {
      line: "haft mcp add linear --url https://mcp.linear.app/mcp --header Authorization=LINEAR_AUTHORIZATION",
      about: "a remote server, and the name of the secret that it requires",
    },
  ],
  run: async ({ options, operands, terminal }) => {
    const [id, ...words] = operands;
    if (id === undefined)
      throw new CommandUsageError(
        "haft mcp add requires an id: haft mcp add ID, haft mcp add ID -- command, or haft mcp add ID --url URL.",
      );
    checkExclusiveFlags(options, words);
    const file = options.file ?? serversFile;
    const servers = await readServersFile(file);
    if (Object.hasOwn(servers, id))
      throw new CommandUsageError(
        `${file} already has a server ${plainText(id)}. Remove it first: haft mcp remove ${plainText(id)}`,
      );
    const addition =
      (await additionFromFlags(id, words, options)) ??
      (await additionFromDiscovery(id, options, servers, terminal));
    return addServer(
      addition,
      { file, isSure: options.yes === true, isJson: options.json === true },
      terminal,
    );
  },
});

const checkExclusiveFlags = ({ from, url, header, env }: McpAddFlags, words: readonly string[]): void => {
  const ways = [
    from === undefined ? "" : "--from",
    url === undefined ? "" : "--url",
    words.length === 0 ? "" : "a command",
  ].filter((way) => way !== "");
  if (ways.length > 1)
    throw new CommandUsageError(`haft mcp add accepts one source, not ${ways.join(" and ")}.`);
  if (header !== undefined && url === undefined) throw new CommandUsageError("--header requires --url.");
  if (env !== undefined && words.length === 0)
    throw new CommandUsageError("--env requires a command: haft mcp add ID --env NAME -- command.");
};

const additionFromFlags = async (
  id: string,
  words: readonly string[],
  flags: McpAddFlags,
): Promise<McpServerAddition | undefined> => {
  const [program, ...args] = words;
  if (flags.url !== undefined) {
    const headers = readSecretPairs("header", flags.header);
    const server: McpServer = { url: flags.url, ...(headers === undefined ? {} : { headers }) };
    return { id, server, secrets: neededSecretsOf("header", headers) };
  }
  if (program === undefined) return undefined;
  const env = readSecretPairs("env", flags.env);
  const server: McpServer = {
    command: program,
    ...(args.length === 0 ? {} : { args }),
    ...(env === undefined ? {} : { env }),
  };
  return { id, server, secrets: neededSecretsOf("env", env) };
};

const neededSecretsOf = (
  what: string,
  values: ReturnType<typeof readSecretPairs>,
): readonly RequiredSecret[] =>
  Object.entries(values ?? {}).flatMap(([name, value]) =>
    typeof value === "string" ? [] : [{ name: value.secret, for: `${what} ${name}` }],
  );

const additionFromDiscovery = async (
  id: string,
  flags: McpAddFlags,
  servers: ServersById,
  terminal: Terminal,
): Promise<McpServerAddition> => {
  const found = chooseDiscovered(await discoverServers(flags, terminal), id, flags.from);
  return toAddition(id, found, new Set(serverSecretNames(servers)), terminal);
};

const chooseDiscovered = (
  found: readonly DiscoveredServer[],
  id: string,
  client: string | undefined,
): DiscoveredServer => {
  const clientServers = found.filter(({ from }) => client === undefined || from.client === client);
  const named = clientServers.filter(({ from }) => from.name === id);
  const byId = clientServers.find((each) => each.id === id);
  // The first of several servers with one name has the name as its id, so that id is ambiguous.
  const candidates = byId === undefined || (named.length > 1 && named.includes(byId)) ? named : [byId];
  const usable = candidates.filter(({ config }) => config !== undefined);
  const [first, ...others] = usable;
  if (first === undefined)
    throw new CommandUsageError(
      candidates.length > 0 ? unusableMessage(candidates) : unknownServerMessage(clientServers, id, client),
    );
  if (others.some(({ shown }) => shown !== first.shown))
    throw new CommandUsageError(ambiguousServerMessage(usable, id, client));
  return first;
};

const unusableMessage = (meant: readonly DiscoveredServer[]): string =>
  meant.flatMap(({ problems }) => problems.map(plainText)).join(" ");

const unknownServerMessage = (
  found: readonly DiscoveredServer[],
  id: string,
  client: string | undefined,
): string => {
  const near = nearest(
    id,
    found.map((each) => each.id),
  );
  const who = client === undefined ? "No program on this machine has a" : `${client} has no`;
  const hint = near === undefined ? "" : ` Did you mean ${near}?`;
  return `${who} server "${plainText(id)}".${hint} haft mcp discover lists servers; haft mcp add ${plainText(id)} -- command adds a new one.`;
};

const ambiguousServerMessage = (
  usable: readonly DiscoveredServer[],
  id: string,
  client: string | undefined,
): string => {
  const shown = usable
    .map(({ id: own, from }) => `${own} (${from.client}, ${plainText(from.file)})`)
    .join(", ");
  const clients = new Set(usable.map(({ from }) => from.client));
  const how =
    client === undefined && clients.size === usable.length
      ? "Choose one with --from CLIENT"
      : "Remove one there first";
  return `"${plainText(id)}" is configured differently: ${shown}. ${how}.`;
};

/** Accepts only names of secrets, because other users can read a command line. */
const readSecretPairs = (
  option: "header" | "env",
  pairs: readonly string[] | undefined,
): Readonly<Record<string, MaybeSecret>> | undefined => {
  if (pairs === undefined || pairs.length === 0) return undefined;
  const read = pairs.map((pair): readonly [string, MaybeSecret] => {
    const at = pair.indexOf("=");
    const name = at < 0 ? pair : pair.slice(0, at);
    const secret = at < 0 && option === "env" ? name : pair.slice(at + 1);
    if (!/^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/.test(name) || (at < 0 && option === "header")) {
      throw new CommandUsageError(
        `--${option} requires NAME=SECRET, where SECRET is the name of a secret${option === "header" ? ", such as --header Authorization=GITHUB_AUTHORIZATION" : ", such as --env GITHUB_TOKEN=MY_TOKEN"}.`,
      );
    }
    if (!/^[A-Za-z_][A-Za-z0-9_.-]{0,127}$/.test(secret)) {
      throw new CommandUsageError(
        `--${option} ${plainText(name)}= requires the name of a secret, not the secret itself. Store the secret in the environment, and use the name of the variable here.`,
      );
    }
    return [name, { secret }];
  });
  return Object.fromEntries(read);
};
