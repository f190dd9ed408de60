import { homedir } from "node:os";
import { isAbsolute, parse, relative, resolve, sep } from "node:path";
import { shellQuote } from "../../base/text/shell-quote.ts";
import type { Option, Terminal } from "../command.ts";
import { painter } from "../screen.ts";
import { type Launch, realFolder, toVisibleLine } from "./launch.ts";
import { configDirectory, openTrustStore, type TrustStore } from "./trust-store.ts";

export const trustOption = {
  type: "boolean",
  about: "trust this folder and its launch commands for this command only, like HAFT_TRUST=1; for CI",
} as const satisfies Option;

export interface TrustFlags {
  readonly trust?: boolean;
  readonly config?: string;
}

/** Decides which folders and launches may be used. */
export interface Trust {
  readonly store: TrustStore;
  /** Never prompts. */
  readonly isTrusted: (folder: string) => Promise<boolean>;
  /** Whether later commands trust the folder without `--trust`. Never prompts. */
  readonly isTrustedPermanently: (folder: string) => Promise<boolean>;
  /** Prompts at a terminal; throws `UntrustedError` elsewhere, or if the user declines. */
  readonly requireFolder: (folder: string, files: readonly string[]) => Promise<void>;
  /** Prompts at a terminal; throws `UntrustedError` elsewhere. */
  readonly requireLaunches: (launches: readonly Launch[]) => Promise<void>;
  /** Reads the store again. Never prompts. */
  readonly unaccepted: (launches: readonly Launch[]) => Promise<readonly Launch[]>;
  /** As of the last read of the store. */
  readonly isAccepted: (launch: Pick<Launch, "hash">) => boolean;
  /** For operators only: it must not go into text for models. */
  readonly acceptCommand: (launch: Launch) => string;
}

/** The store is read several times; each problem is printed once. */
const reportedProblems = new WeakMap<Terminal["error"], string>();

export const createTrust = (flags: TrustFlags, terminal: Terminal): Trust => {
  const store = openTrustStore(configDirectory(terminal.env));
  const isWholeProcess = flags.trust === true || /^(1|true)$/.test(terminal.env.HAFT_TRUST ?? "");
  /** `--trust` covers what is configured at the start, not later changes. */
  const accepted = new Set<string>();
  /** Folders that are too wide to be trusted permanently. */
  const trustedForCommand = new Set<string>();

  const entries = async () => {
    const { entries, problem } = await store.read();
    if (problem !== undefined && reportedProblems.get(terminal.error) !== problem) {
      reportedProblems.set(terminal.error, problem);
      terminal.error(`${painter(terminal).yellow("!")} ${toVisibleLine(problem)}\n`);
    }
    for (const { hash } of entries.launches) accepted.add(hash);
    return entries;
  };

  const isTrusted = async (folder: string): Promise<boolean> => {
    if (isWholeProcess) return true;
    const real = realFolder(folder);
    return trustedForCommand.has(real) || (await isTrustedPermanently(real));
  };

  const isTrustedPermanently = async (folder: string): Promise<boolean> => {
    const real = realFolder(folder);
    // A store inside the folder would let the folder trust itself.
    if (isInsideFolder(realFolder(store.directory), real)) return false;
    return (await entries()).folders.some(({ path }) => isInsideFolder(real, path));
  };

  const requireFolder: Trust["requireFolder"] = async (folder, files) => {
    if (await isTrusted(folder)) return;
    const real = realFolder(folder);
    if (!terminal.isOperator) throw untrustedFolderError(real, files);
    const { yellow, bold } = painter(terminal);
    const named = files.map(toVisibleLine).join(", ");
    const isOnce = tooWideFolderReason(real, terminal.env) !== undefined;
    const question = isOnce ? "Use it for this command?" : "Trust the folder and its subfolders?";
    const isTrustedNow = await isYes(
      terminal,
      `${yellow("?")} This folder is not trusted: ${bold(toVisibleLine(real))}\n  Its ${named} can run programs as you. ${question} [y/N] `,
    );
    if (!isTrustedNow) throw untrustedFolderError(real, files);
    if (isOnce) trustedForCommand.add(real);
    else await addTrustedFolder(store, real, terminal.now());
  };

  const requireLaunches: Trust["requireLaunches"] = async (launches) => {
    if (launches.length === 0) return;
    if (isWholeProcess) for (const { hash } of launches) accepted.add(hash);
    const open = await unaccepted(launches);
    if (open.length === 0) return;
    if (!terminal.isOperator) throw unacceptedLaunchesError(open, acceptCommand);
    for (const launch of open) {
      if (await confirmLaunch(launch, terminal)) {
        await addAcceptedLaunch(store, launch, terminal.now());
        accepted.add(launch.hash);
      } else terminal.error(`Not started: ${launch.what}.\n`);
    }
  };

  const acceptCommand = ({ hash }: Launch): string => {
    const config = flags.config === undefined ? "" : ` --config ${shellQuote(resolve(flags.config))}`;
    return `haft trust add ${hash} --folder ${shellQuote(realFolder("."))}${config}`;
  };

  const unaccepted: Trust["unaccepted"] = async (launches) => {
    if (launches.some(({ hash }) => !accepted.has(hash))) await entries();
    return launches.filter(({ hash }) => !accepted.has(hash));
  };

  return {
    store,
    isTrusted,
    isTrustedPermanently,
    requireFolder,
    requireLaunches,
    unaccepted,
    isAccepted: ({ hash }) => accepted.has(hash),
    acceptCommand,
  };
};

export const confirmLaunch = ({ what, text, folder }: Launch, terminal: Terminal): Promise<boolean> => {
  const { yellow, bold } = painter(terminal);
  return isYes(
    terminal,
    `${yellow("?")} ${sentenceStart(what)} was not accepted before:\n  ${bold(text)}\n  in ${toVisibleLine(folder)}\n  Run it, now and in the future? [y/N] `,
  );
};

const sentenceStart = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}`;

/** Ctrl-C ends the whole command. */
const isYes = async (terminal: Terminal, question: string): Promise<boolean> => {
  const answer = await terminal.ask(question);
  if (terminal.signal.aborted) throw new Error("Cancelled. Nothing was started.");
  return /^y(es)?$/i.test(answer?.trim() ?? "");
};

export const addTrustedFolder = async (store: TrustStore, folder: string, now: number): Promise<string> => {
  const real = realFolder(folder);
  await store.update((entries) => ({
    ...entries,
    folders: [...entries.folders.filter(({ path }) => path !== real), { path: real, at: toIsoDate(now) }],
  }));
  return real;
};

export const addAcceptedLaunch = (
  store: TrustStore,
  { hash, what, summary, folder }: Launch,
  now: number,
): Promise<unknown> =>
  store.update((entries) => ({
    ...entries,
    launches: [
      ...entries.launches.filter((each) => each.hash !== hash),
      { hash, summary: `${what}: ${summary}`, folder, at: toIsoDate(now) },
    ],
  }));

const toIsoDate = (now: number): string => new Date(now).toISOString();

export const tooWideFolderReason = (folder: string, env: Terminal["env"]): string | undefined => {
  const real = realFolder(folder);
  if (parse(real).root === real) return "a whole file system";
  const home = env.HOME || env.USERPROFILE || homedir();
  return real === realFolder(home) ? "your home folder" : undefined;
};

export const isInsideFolder = (path: string, folder: string): boolean => {
  const way = relative(folder, path);
  return way === "" || (!isAbsolute(way) && way !== ".." && !way.startsWith(`..${sep}`));
};

const ciTrustHint = "In CI, --trust or HAFT_TRUST=1 trusts it for one process.";

const untrustedFolderError = (folder: string, files: readonly string[]): UntrustedError => {
  const accept = `haft trust add ${shellQuote(folder)}`;
  const message = `This user has not trusted the folder ${toVisibleLine(folder)}. Not used: ${files.map(toVisibleLine).join(", ")}. If you trust its contents:\n  ${accept}\n${ciTrustHint}`;
  return new UntrustedError(message, { folder, files, accept: [accept] });
};

class UntrustedError extends Error {
  override readonly name = "UntrustedError";
  readonly json: object;

  constructor(message: string, json: object) {
    super(message);
    this.json = { refused: "untrusted", message, ...json };
  }
}

export class OperatorRequiredError extends Error {
  override readonly name = "OperatorRequiredError";
  readonly json: object;

  constructor(message: string) {
    super(message);
    this.json = { refused: "operator_required", message };
  }
}

export const launchToJson = ({ hash, what, summary, folder }: Launch): object => ({
  hash,
  for: what,
  command: summary,
  folder,
});

const unacceptedLaunchesError = (
  launches: readonly Launch[],
  acceptCommand: Trust["acceptCommand"],
): UntrustedError => {
  const lines = launches.map((launch) => `  ${launch.what}: ${launch.summary}\n    ${acceptCommand(launch)}`);
  const message = `Nothing was started, because this user has not accepted these commands:\n${lines.join("\n")}\n${ciTrustHint}`;
  return new UntrustedError(message, {
    launches: launches.map(launchToJson),
    accept: launches.map(acceptCommand),
  });
};
