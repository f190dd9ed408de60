import { homedir } from "node:os";
import { basename, sep } from "node:path";
import { readServer } from "../../mcp/client/read-server.ts";
import type { FoundServer } from "../../mcp/discover/found-server.ts";
import { writeServersFile } from "../../mcp/discover/servers-file.ts";
import { hidesSecret } from "../../mcp/discover/shown-command.ts";
import { type NeededSecret, takeOver } from "../../mcp/discover/take-over.ts";
import { isStdio, type McpServer } from "../../words/mcp.ts";
import { exitCodes, type Terminal } from "../command.ts";
import { Misuse } from "../misuse.ts";
import { painter, plain, toJsonLine } from "../screen.ts";
import { describeServer, serverLines, shownServer } from "./describe-server.ts";

/** A server that is about to be added, and what has to be known of it. */
export interface Addition {
  readonly id: string;
  readonly server: McpServer;
  readonly secrets: readonly NeededSecret[];
  readonly found?: FoundServer;
}

/** What another program has, as our own file will have it. */
export const additionOf = (
  id: string,
  found: FoundServer,
  taken: ReadonlySet<string>,
  terminal: Terminal,
): Addition => {
  const { project } = found.from;
  const home = terminal.env.HOME || terminal.env.USERPROFILE || homedir();
  const taking = takeOver(found, { id, taken, filling: { home, project, separator: sep } });
  if (taking === undefined) throw new Misuse(found.problems.map(plain).join(" "));
  const { server, secrets, unfilled } = taking;
  if (unfilled.length > 0) {
    throw new Misuse(
      `"${plain(found.from.name)}" in ${plain(found.from.file)} has placeholders that nothing here fills in: ${plain(unfilled.join(", "))}. Write it out: haft mcp add ${id} -- command, or haft mcp add ${id} --url URL.`,
    );
  }
  // Arguments and addresses have no place for a secret by name, and its value was not copied.
  if (hidesSecret(shownServer(server))) throw new Misuse(secretToWriteOut(id, found, server));
  // Whoever adds it wants it.
  const { disabled: _, ...wanted } = server;
  return { id, server: wanted, secrets, found };
};

const secretToWriteOut = (id: string, found: FoundServer, server: McpServer): string => {
  const [where, way, kept] = isStdio(server)
    ? ["arguments", `haft mcp add ${id} --env NAME -- command`, "a variable of its environment"]
    : ["address", `haft mcp add ${id} --url URL --header NAME=SECRET`, "a header"];
  return `"${plain(found.from.name)}" in ${plain(found.from.file)} has what looks like a secret in its ${where}, and no value of a secret is copied: ${plain(shownServer(server))}. Write it out, with the secret in ${kept} if the server takes it there: ${way}.`;
};

export interface AddOptions {
  readonly file: string;
  readonly isSure: boolean;
  readonly isJson: boolean;
}

/** Shows exactly what would be started, asks, and writes it down. Nothing is started. */
export const addServer = async (
  addition: Addition,
  manner: AddOptions,
  terminal: Terminal,
): Promise<number> => {
  const { id, server, secrets, found } = addition;
  const { file, isSure, isJson } = manner;
  readServer(id, server);
  if (!isJson || !isSure) show(addition, file, terminal);
  if (!isSure && !terminal.isInteractive) {
    throw new Misuse(`Nobody can be asked here: --yes adds ${id} to ${file}.`);
  }
  if (!isSure) {
    const answer = await terminal.ask(`Add it to ${file}? [y/N] `);
    if (!/^y(es)?$/i.test(answer?.trim() ?? "")) {
      terminal.error("Nothing was added.\n");
      return exitCodes.failed;
    }
  }
  await writeServersFile(file, id, server);
  if (isJson) {
    const from = found === undefined ? {} : { from: found.from };
    terminal.out(toJsonLine({ ...describeServer(id, server), file, ...from, secrets }));
    return exitCodes.done;
  }
  terminal.out(`${painter(terminal).green("added")} ${id} to ${file}\n`);
  tellSecrets(addition, file, terminal);
  return exitCodes.done;
};

const show = ({ id, server, found }: Addition, file: string, terminal: Terminal): void => {
  const { bold, yellow, dim } = painter(terminal);
  const where = found === undefined ? "" : dim(`  from ${found.from.client}, ${plain(found.from.file)}`);
  terminal.error(`${bold(id)}${where}\n${serverLines(server).map(plain).join("\n")}\n`);
  // Typed by a person, who may know that it is none.
  const open = hidesSecret(shownServer(server))
    ? [
        `What is [redacted] here would stand in ${file} for all to read; give it to the server under \`env\` or \`headers\` if it can be.`,
      ]
    : [];
  const problems = [...(found?.problems ?? []), ...open, ...unpinned(server)];
  for (const problem of problems) terminal.error(`${yellow("!")} ${plain(problem)}\n`);
};

const tellSecrets = ({ secrets, found }: Addition, file: string, terminal: Terminal): void => {
  if (secrets.length === 0) return;
  const { dim } = painter(terminal);
  terminal.error(
    "It needs these secrets, as variables of the environment or under `credentials` of your configuration:\n",
  );
  for (const { name, for: what, like } of secrets) {
    const whole = like === undefined ? "" : `, the whole value like ${like}`;
    terminal.error(`  ${name}  ${dim(plain(`for ${what}${whole}`))}\n`);
  }
  const kept = found === undefined ? "" : ` No value was copied from ${plain(found.from.file)}.`;
  terminal.error(`${dim(`What is no secret may stand in ${file} as it is.${kept}`)}\n`);
};

const runners = new Set(["npx", "bunx", "pnpx", "uvx"]);

/** A package without a version is another program whenever its author likes. */
const unpinned = (server: McpServer): readonly string[] => {
  if (!isStdio(server)) return [];
  const words = [server.command, ...(server.args ?? [])];
  const at = words.findIndex((word) => runners.has(basename(word).replace(/\.(?:cmd|exe)$/i, "")));
  if (at < 0) return [];
  const name = words.slice(at + 1).find((word) => !word.startsWith("-"));
  if (name === undefined || /^[./\\]|:/.test(name)) return [];
  const version = /^(?:@[^/]+\/)?[^@=]+(?:@|==)(.+)$/.exec(name)?.[1];
  if (version !== undefined && version !== "latest") return [];
  return [
    `${name} is whatever version is newest when it is started; name one, such as ${name.replace(/@latest$/, "")}@1.2.3.`,
  ];
};
