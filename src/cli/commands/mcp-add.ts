import { clients } from "../../mcp/discover/found-server.ts";
import { readServersFile, type Servers } from "../../mcp/discover/servers-file.ts";
import type { NeededSecret } from "../../mcp/discover/take-over.ts";
import type { MaybeSecret, McpServer } from "../../words/mcp.ts";
import { command, type Terminal } from "../command.ts";
import { jsonValue } from "../json-option.ts";
import { type Addition, additionOf, addServer } from "../mcp/add-server.ts";
import { chooseFound } from "../mcp/choose-found.ts";
import { fileOption } from "../mcp/configured.ts";
import { lookAround, projectOption } from "../mcp/machine.ts";
import { Misuse } from "../misuse.ts";
import { serversFile } from "../read-configuration.ts";
import { plain } from "../screen.ts";
import { secretNames } from "../secret-names.ts";

interface GivenAdd {
  readonly from?: string;
  readonly url?: string;
  readonly header?: readonly string[];
  readonly env?: readonly string[];
  readonly project?: string;
}

export const mcpAdd = command({
  operands: "ID [-- COMMAND ARGS…]",
  options: {
    from: { type: "string", value: "CLIENT", choices: clients, about: "the program that has it" },
    url: { type: "string", value: "URL", about: "the address of a remote server" },
    header: {
      type: "string",
      multiple: true,
      value: "NAME=SECRET",
      about: "with --url: a header, and the name of the secret that is in it",
    },
    env: {
      type: "string",
      multiple: true,
      value: "NAME[=SECRET]",
      about: "with a command: a variable, and the name of the secret that is in it",
    },
    project: projectOption,
    file: fileOption,
    yes: { type: "boolean", about: "do not ask" },
    json: jsonValue("what was added"),
  },
  examples: [
    { line: "haft mcp add github", about: "one that haft mcp discover lists" },
    { line: "haft mcp add github --from cursor", about: "where several programs have one of this name" },
    {
      line: "haft mcp add files -- npx -y @modelcontextprotocol/server-filesystem@2026.8.31 .",
      about: "a command; it is shown before anything is written",
    },
    {
      line: "haft mcp add linear --url https://mcp.linear.app/mcp --header Authorization=LINEAR_AUTHORIZATION",
      about: "a remote server, and the name of the secret it wants",
    },
  ],
  run: async ({ options, operands, terminal }) => {
    const [id, ...words] = operands;
    if (id === undefined)
      throw new Misuse(
        "haft mcp add takes an id: haft mcp add ID, haft mcp add ID -- command, or haft mcp add ID --url URL.",
      );
    refuseTogether(options, words);
    const file = options.file ?? serversFile;
    const servers = await readServersFile(file);
    if (Object.hasOwn(servers, id))
      throw new Misuse(
        `${file} has a server ${plain(id)} already. Take it out first: haft mcp remove ${plain(id)}`,
      );
    const addition =
      (await ownAddition(id, words, options)) ?? (await foundAddition(id, options, servers, terminal));
    return addServer(
      addition,
      { file, isSure: options.yes === true, isJson: options.json === true },
      terminal,
    );
  },
});

const refuseTogether = ({ from, url, header, env }: GivenAdd, words: readonly string[]): void => {
  const ways = [
    from === undefined ? "" : "--from",
    url === undefined ? "" : "--url",
    words.length === 0 ? "" : "a command",
  ].filter((way) => way !== "");
  if (ways.length > 1)
    throw new Misuse(`haft mcp add takes a server from one place, not from ${ways.join(" and ")}.`);
  if (header !== undefined && url === undefined) throw new Misuse("--header goes with --url.");
  if (env !== undefined && words.length === 0)
    throw new Misuse("--env goes with a command: haft mcp add ID --env NAME -- command.");
};

/** A server that was spelled out. */
const ownAddition = async (
  id: string,
  words: readonly string[],
  given: GivenAdd,
): Promise<Addition | undefined> => {
  const [program, ...args] = words;
  if (given.url !== undefined) {
    const headers = readPairs("header", given.header);
    const server: McpServer = { url: given.url, ...(headers === undefined ? {} : { headers }) };
    return { id, server, secrets: secretsOf("header", headers) };
  }
  if (program === undefined) return undefined;
  const env = readPairs("env", given.env);
  const server: McpServer = {
    command: program,
    ...(args.length === 0 ? {} : { args }),
    ...(env === undefined ? {} : { env }),
  };
  return { id, server, secrets: secretsOf("env", env) };
};

const secretsOf = (what: string, values: ReturnType<typeof readPairs>): readonly NeededSecret[] =>
  Object.entries(values ?? {}).flatMap(([name, value]) =>
    typeof value === "string" ? [] : [{ name: value.secret, for: `${what} ${name}` }],
  );

const foundAddition = async (
  id: string,
  given: GivenAdd,
  servers: Servers,
  terminal: Terminal,
): Promise<Addition> => {
  const found = chooseFound(await lookAround(given, terminal), id, given.from);
  return additionOf(id, found, new Set(secretNames(servers)), terminal);
};

/** `NAME=SECRET` for variables and headers. Only names are typed: what is on a command line, everybody can read. */
const readPairs = (
  option: "header" | "env",
  pairs: readonly string[] | undefined,
): Readonly<Record<string, MaybeSecret>> | undefined => {
  if (pairs === undefined || pairs.length === 0) return undefined;
  const read = pairs.map((pair): readonly [string, MaybeSecret] => {
    const at = pair.indexOf("=");
    const name = at < 0 ? pair : pair.slice(0, at);
    const secret = at < 0 && option === "env" ? name : pair.slice(at + 1);
    if (!/^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/.test(name) || (at < 0 && option === "header")) {
      throw new Misuse(
        `--${option} takes NAME=SECRET, where SECRET is the name a secret is kept under${option === "header" ? ", such as --header Authorization=GITHUB_AUTHORIZATION" : ", such as --env GITHUB_TOKEN=MY_TOKEN"}.`,
      );
    }
    if (!/^[A-Za-z_][A-Za-z0-9_.-]{0,127}$/.test(secret)) {
      throw new Misuse(
        `--${option} ${plain(name)}= takes the name of a secret, not the secret itself. Keep it in the environment, and name the variable here.`,
      );
    }
    return [name, { secret }];
  });
  return Object.fromEntries(read);
};
