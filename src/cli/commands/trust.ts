import { statSync } from "node:fs";
import { CommandUsageError, command, exitCodes, jsonLines, jsonValue, type Terminal } from "../command.ts";
import { renderTable } from "../fit-table.ts";
import { configOption, readDataConfiguration, withServersFile } from "../read-configuration.ts";
import { painter, plainText, toJsonLine } from "../screen.ts";
import { type Launch, listLaunches, realFolder, toVisibleLine } from "../trust/launch.ts";
import { newOperatorSecret, operatorOptions, requireOperator } from "../trust/require-operator.ts";
import {
  addAcceptedLaunch,
  addTrustedFolder,
  confirmLaunch,
  createTrust,
  launchToJson,
  OperatorRequiredError,
  type Trust,
  tooWideFolderReason,
} from "../trust/trust.ts";
import type { TrustEntries } from "../trust/trust-store.ts";

interface TrustRow {
  readonly kind: "folder" | "launch";
  readonly id: string;
  readonly what: string;
  readonly folder: string;
  readonly at: string;
}

const toTrustRows = ({ folders, launches }: TrustEntries): readonly TrustRow[] => [
  ...folders.map(({ path, at }) => ({ kind: "folder" as const, id: path, what: path, folder: path, at })),
  ...launches.map(({ hash, summary, folder, at }) => ({
    kind: "launch" as const,
    id: hash,
    what: summary,
    folder,
    at,
  })),
];

export const trustList = command({
  operands: "",
  options: { json: jsonLines("each trusted folder and accepted launch") },
  examples: [
    { line: "haft trust list", about: "trusted folders and accepted launch commands" },
    { line: "haft trust list --json", about: "with full hashes, for a script" },
  ],
  onlyTells: true,
  run: async ({ options, operands, terminal }) => {
    if (operands.length > 0) throw new CommandUsageError("haft trust list accepts no operands.");
    const { store } = createTrust({}, terminal);
    const { entries, problem } = await store.read();
    if (problem !== undefined) terminal.error(`${painter(terminal).yellow("!")} ${toVisibleLine(problem)}\n`);
    const rows = toTrustRows(entries);
    if (options.json === true) for (const row of rows) terminal.out(toJsonLine(row));
    else if (rows.length === 0) terminal.error("Nothing is trusted yet. haft trust add trusts a folder.\n");
    else {
      const kind = { title: "KIND", cell: (row: TrustRow) => row.kind };
      const id = {
        title: "HASH",
        cell: (row: TrustRow) => (row.kind === "launch" ? row.id.slice(0, 12) : ""),
      };
      const since = { title: "SINCE", cell: (row: TrustRow) => row.at.slice(0, 10) };
      const what = { title: "WHAT", cell: (row: TrustRow) => plainText(row.what), least: 24 };
      terminal.out(
        renderTable(
          [
            [kind, id, since, what],
            [kind, id, what],
          ],
          rows,
          terminal,
        ),
      );
    }
    return exitCodes.done;
  },
});

export const trustAdd = command({
  operands: "[FOLDER|HASH…]",
  options: {
    folder: {
      type: "string",
      value: "FOLDER",
      about: "project folder of the launch hashes; default: the current folder",
    },
    config: configOption,
    yes: { type: "boolean", short: "y", about: "accept launches without asking" },
    ...operatorOptions,
    json: jsonLines("each folder and launch"),
  },
  examples: [
    { line: "haft trust add", about: "trust the current folder, and ask about each launch command" },
    { line: "haft trust add ../shop", about: "another folder and its subfolders" },
    { line: "haft trust add 9f86d081884c7d65…", about: "one launch, by the hash that an error prints" },
  ],
  run: async ({ options, operands, terminal }) => {
    await requireOperator(terminal, "haft trust add", options);
    if (options.folder !== undefined) changeFolder(options.folder);
    const trust = createTrust(options.config === undefined ? {} : { config: options.config }, terminal);
    const wanted = operands.length === 0 ? ["."] : operands;
    for (const folder of wanted.filter((word) => !isHash(word)))
      await trustFolder(folder, trust, options, terminal);
    const hashes = wanted.filter(isHash);
    if (hashes.length > 0) {
      const known = await configuredLaunches(options.config, trust, terminal);
      for (const hash of hashes) await acceptLaunchByHash(hash, known, trust, options, terminal);
    }
    return exitCodes.done;
  },
});

interface TrustAddFlags {
  readonly config?: string;
  readonly yes?: boolean;
  readonly json?: boolean;
}

const trustFolder = async (
  folder: string,
  trust: Trust,
  flags: TrustAddFlags,
  terminal: Terminal,
): Promise<void> => {
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true)
    throw new CommandUsageError(
      `The folder ${plainText(folder)} does not exist. To accept a launch, pass its hash.`,
    );
  const wide = tooWideFolderReason(folder, terminal.env);
  if (wide !== undefined)
    throw new CommandUsageError(
      `${plainText(folder)} is ${wide}, which also has files of other users. Trust a project folder in it.`,
    );
  const path = await addTrustedFolder(trust.store, folder, terminal.now());
  if (flags.json === true) terminal.out(toJsonLine({ kind: "folder", id: path, added: true }));
  else terminal.out(`${painter(terminal).green("trusted")} ${toVisibleLine(path)}\n`);
  // Launches run in the current folder, so those of another folder cannot be listed here.
  if (flags.config === undefined && realFolder(".") !== path) return;
  const open = await trust.unaccepted(await configuredLaunches(flags.config, trust, terminal));
  for (const launch of open) await acceptLaunch(launch, trust, flags, terminal);
};

const acceptLaunchByHash = async (
  hash: string,
  known: readonly Launch[],
  trust: Trust,
  flags: TrustAddFlags,
  terminal: Terminal,
): Promise<void> => {
  const found = known.filter((launch) => launch.hash.startsWith(hash.toLowerCase()));
  const [launch] = found;
  if (launch === undefined)
    throw new CommandUsageError(
      `No server or secret command of ${toVisibleLine(realFolder("."))} has the hash ${hash}. Its configuration may have changed since; --folder names another project.`,
    );
  if (found.length > 1) throw new CommandUsageError(`${hash} matches several launches. Pass the full hash.`);
  await acceptLaunch(launch, trust, { ...flags, yes: flags.yes === true || !terminal.isOperator }, terminal);
};

const acceptLaunch = async (
  launch: Launch,
  trust: Trust,
  flags: TrustAddFlags,
  terminal: Terminal,
): Promise<void> => {
  const isAccepted = flags.yes === true || (terminal.isOperator && (await confirmLaunch(launch, terminal)));
  if (isAccepted) await addAcceptedLaunch(trust.store, launch, terminal.now());
  if (flags.json === true)
    terminal.out(toJsonLine({ kind: "launch", id: launch.hash, ...launchToJson(launch), added: isAccepted }));
  else if (isAccepted)
    terminal.out(`${painter(terminal).green("accepted")} ${launch.what}: ${launch.summary}\n`);
  else terminal.error(`Not accepted: ${launch.what}: ${launch.summary}\n  ${trust.acceptCommand(launch)}\n`);
};

/** Imports code only from a trusted folder. */
const configuredLaunches = async (
  config: string | undefined,
  trust: Trust,
  terminal: Terminal,
): Promise<readonly Launch[]> => {
  const { serve: _, openapi: _documents, ...options } = await readDataConfiguration(config, trust, terminal);
  return listLaunches(await withServersFile(options, config));
};

export const trustRemove = command({
  operands: "FOLDER|HASH…",
  options: { ...operatorOptions, json: jsonLines("each removed entry") },
  examples: [
    { line: "haft trust remove .", about: "the current folder; its code no longer runs" },
    { line: "haft trust remove 9f86d081884c", about: "one launch; haft trust list prints hashes" },
  ],
  run: async ({ options, operands, terminal }) => {
    if (operands.length === 0)
      throw new CommandUsageError(
        "haft trust remove requires folders or hashes. haft trust list lists them.",
      );
    await requireOperator(terminal, "haft trust remove", options);
    const { store } = createTrust({}, terminal);
    const removed: TrustRow[] = [];
    await store.update((entries) => {
      const rows = toTrustRows(entries);
      removed.splice(0);
      for (const word of operands) {
        const found = rows.filter(({ kind, id }) =>
          kind === "folder" ? id === realFolder(word) || id === word : isHash(word) && id.startsWith(word),
        );
        if (found.length === 0)
          throw new CommandUsageError(
            `${plainText(word)} is not trusted. haft trust list shows trusted folders and commands.`,
          );
        if (found.length > 1)
          throw new CommandUsageError(
            `${plainText(word)} matches several launches. Pass a longer part of the hash.`,
          );
        removed.push(...found);
      }
      const ids = new Set(removed.map(({ id }) => id));
      return {
        ...entries,
        folders: entries.folders.filter(({ path }) => !ids.has(path)),
        launches: entries.launches.filter(({ hash }) => !ids.has(hash)),
      };
    });
    for (const { kind, id, what } of removed)
      terminal.out(
        options.json === true ? toJsonLine({ kind, id, removed: true }) : `removed ${plainText(what)}\n`,
      );
    return exitCodes.done;
  },
});

export const trustSecret = command({
  operands: "",
  options: { json: jsonValue("the secret") },
  examples: [
    {
      line: "haft trust secret",
      about: "prints it once; keep it where agents cannot read it, and set HAFT_OPERATOR_SECRET",
    },
  ],
  run: async ({ options, operands, terminal }) => {
    if (operands.length > 0) throw new CommandUsageError("haft trust secret accepts no operands.");
    if (!terminal.isOperator)
      throw new OperatorRequiredError("haft trust secret prints a secret, so it requires a terminal.");
    const { secret, kept } = newOperatorSecret(terminal.now());
    await createTrust({}, terminal).store.update((entries) => ({ ...entries, operator: kept }));
    terminal.out(options.json === true ? toJsonLine({ secret }) : `${secret}\n`);
    terminal.error(
      "This secret is shown only once. It replaces an earlier one. Processes with it in HAFT_OPERATOR_SECRET may approve calls.\n",
    );
    return exitCodes.done;
  },
});

const isHash = (word: string): boolean => /^[0-9a-f]{8,64}$/i.test(word);

const changeFolder = (folder: string): void => {
  try {
    process.chdir(folder);
  } catch {
    throw new CommandUsageError(`The folder ${plainText(folder)} does not exist.`);
  }
};
