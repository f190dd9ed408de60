import { homedir } from "node:os";
import { basename, sep } from "node:path";
import { readServer } from "../../mcp/client/read-server.ts";
import { type DiscoveredServer, hasMaskedSecret } from "../../mcp/discovery/discovered-server.ts";
import { importServer, type RequiredSecret } from "../../mcp/discovery/import-server.ts";
import { writeServersFile } from "../../mcp/discovery/servers-file.ts";
import { isStdioServer, type McpServer } from "../../types/mcp.ts";
import { CommandUsageError, exitCodes, type Terminal } from "../command.ts";
import { credentialsOf, readDataConfiguration } from "../read-configuration.ts";
import { painter, plainText, toJsonLine } from "../screen.ts";
import { type Launch, serverLaunch } from "../trust/launch.ts";
import { addAcceptedLaunch, createTrust } from "../trust/trust.ts";
import { describeServer, serverDisplayText, serverLines } from "./configured-servers.ts";

export interface McpServerAddition {
  readonly id: string;
  readonly server: McpServer;
  readonly secrets: readonly RequiredSecret[];
  readonly found?: DiscoveredServer;
}

export const toAddition = (
  id: string,
  found: DiscoveredServer,
  taken: ReadonlySet<string>,
  terminal: Terminal,
): McpServerAddition => {
  const { project } = found.from;
  const home = terminal.env.HOME || terminal.env.USERPROFILE || homedir();
  const taking = importServer(found, { id, taken, filling: { home, project, separator: sep } });
  if (taking === undefined) throw new CommandUsageError(found.problems.map(plainText).join(" "));
  const { server, secrets, unfilled } = taking;
  if (unfilled.length > 0) {
    throw new CommandUsageError(
      `"${plainText(found.from.name)}" in ${plainText(found.from.file)} has placeholders that are not filled in: ${plainText(unfilled.join(", "))}. Add the server explicitly: haft mcp add ${id} -- command, or haft mcp add ${id} --url URL.`,
    );
  }
  // Arguments and URLs cannot name a secret, and values of secrets are not copied.
  if (hasMaskedSecret(serverDisplayText(server)))
    throw new CommandUsageError(inlineSecretMessage(id, found, server));
  const { disabled: _, ...wanted } = server;
  return { id, server: wanted, secrets, found };
};

const inlineSecretMessage = (id: string, found: DiscoveredServer, server: McpServer): string => {
  const [where, way, kept] = isStdioServer(server)
    ? ["arguments", `haft mcp add ${id} --env NAME -- command`, "a variable of its environment"]
    : ["address", `haft mcp add ${id} --url URL --header NAME=SECRET`, "a header"];
  return `"${plainText(found.from.name)}" in ${plainText(found.from.file)} has what looks like a secret in its ${where}, and values of secrets are not copied: ${plainText(serverDisplayText(server))}. Add the server explicitly, with the secret in ${kept} if the server accepts it there: ${way}.`;
};

export interface AddServerOptions {
  readonly file: string;
  readonly isSure: boolean;
  readonly isJson: boolean;
}

/** Starts nothing. */
export const addServer = async (
  addition: McpServerAddition,
  manner: AddServerOptions,
  terminal: Terminal,
): Promise<number> => {
  const { id, server, secrets, found } = addition;
  const { file, isSure, isJson } = manner;
  readServer(id, server);
  const trust = createTrust({}, terminal);
  const configured = await readDataConfiguration(undefined, trust, terminal);
  const launch = serverLaunch(id, server, credentialsOf(configured, { [id]: server }));
  if (!isJson || !isSure) printAddition(addition, file, launch, terminal);
  if (!isSure && !terminal.isInteractive) {
    throw new CommandUsageError(`Confirmation requires a terminal. Use --yes to add ${id} to ${file}.`);
  }
  if (!isSure) {
    const answer = await terminal.ask(`Add it to ${file}? [y/N] `);
    if (!/^y(es)?$/i.test(answer?.trim() ?? "")) {
      terminal.error("Nothing was added.\n");
      return exitCodes.failed;
    }
  }
  await writeServersFile(file, id, server);
  // The operator typed or confirmed this launch.
  if (terminal.isOperator) await addAcceptedLaunch(trust.store, launch, terminal.now());
  if (isJson) {
    const from = found === undefined ? {} : { from: found.from };
    terminal.out(toJsonLine({ ...describeServer(id, server), file, ...from, secrets }));
    return exitCodes.done;
  }
  terminal.out(`${painter(terminal).green("added")} ${id} to ${file}\n`);
  if (!terminal.isOperator)
    terminal.error(`Before it is started, accept it: ${trust.acceptCommand(launch)}\n`);
  printNeededSecrets(addition, file, terminal);
  return exitCodes.done;
};

const printAddition = (
  { id, server, secrets, found }: McpServerAddition,
  file: string,
  launch: Launch,
  terminal: Terminal,
): void => {
  const { bold, yellow, dim } = painter(terminal);
  const where = found === undefined ? "" : dim(`  from ${found.from.client}, ${plainText(found.from.file)}`);
  terminal.error(`${bold(id)}${where}\n${serverLines(server).map(plainText).join("\n")}\n`);
  // Adding a server accepts the sources of its secrets.
  if (secrets.length > 0) terminal.error(`${launch.text}\n`);
  // A typed value may look like a secret without being one.
  const open = hasMaskedSecret(serverDisplayText(server))
    ? [
        `The values shown as [redacted] would be readable in ${file}. Pass them to the server under \`env\` or \`headers\` if possible.`,
      ]
    : [];
  const problems = [...(found?.problems ?? []), ...open, ...unpinnedPackageWarnings(server)];
  for (const problem of problems) terminal.error(`${yellow("!")} ${plainText(problem)}\n`);
};

const printNeededSecrets = (
  { secrets, found }: McpServerAddition,
  file: string,
  terminal: Terminal,
): void => {
  if (secrets.length === 0) return;
  const { dim } = painter(terminal);
  terminal.error(
    "It needs these secrets, as variables of the environment or under `credentials` of your configuration:\n",
  );
  for (const { name, for: what, format } of secrets) {
    const whole = format === undefined ? "" : `, the whole value like ${format}`;
    terminal.error(`  ${name}  ${dim(plainText(`for ${what}${whole}`))}\n`);
  }
  const kept = found === undefined ? "" : ` No value was copied from ${plainText(found.from.file)}.`;
  terminal.error(`${dim(`Values that are not secrets can be stored in ${file} directly.${kept}`)}\n`);
};

const packageRunners = new Set(["npx", "bunx", "pnpx", "uvx"]);

/** The author of a package without a version can change its code at any time. */
const unpinnedPackageWarnings = (server: McpServer): readonly string[] => {
  if (!isStdioServer(server)) return [];
  const words = [server.command, ...(server.args ?? [])];
  const at = words.findIndex((word) => packageRunners.has(basename(word).replace(/\.(?:cmd|exe)$/i, "")));
  if (at < 0) return [];
  const name = words.slice(at + 1).find((word) => !word.startsWith("-"));
  if (name === undefined || /^[./\\]|:/.test(name)) return [];
  const version = /^(?:@[^/]+\/)?[^@=]+(?:@|==)(.+)$/.exec(name)?.[1];
  if (version !== undefined && version !== "latest") return [];
  return [
    `${name} has no fixed version: the newest one runs at each start. Pin a version, such as ${name.replace(/@latest$/, "")}@1.2.3.`,
  ];
};
