import { existsSync, lstatSync, statSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join, normalize } from "node:path";
import { defaultLedgerPlace } from "../../types/default-ledger-place.ts";
import type { Option } from "../command.ts";
import { CommandUsageError } from "../command-usage-error.ts";

const haftFolder = ".haft";

export const ledgerOption = {
  type: "string",
  value: "PLACE",
  about: `where calls are recorded: "sqlite:./path.db", "postgres://…" or "memory" ($HAFT_LEDGER, else ${defaultLedgerPlace})`,
} as const satisfies Option;

export const ledgerFileOf = (place: string): string | undefined =>
  place.startsWith("sqlite:") ? place.slice("sqlite:".length) : undefined;

/** A ledger on a server is assumed to exist. */
export const ledgerExists = (place: string): boolean => {
  const file = ledgerFileOf(place);
  return place !== "memory" && (file === undefined || existsSync(file));
};

export const requireLedgerFile = (place: string): void => {
  const file = ledgerFileOf(place);
  if (file === undefined || statSync(file, { throwIfNoEntry: false })?.isDirectory() !== true) return;
  throw new CommandUsageError(
    `${file} is a folder. A ledger is a file: --ledger sqlite:${join(file, "ledger.db")}`,
  );
};

/** A cloned repository could contain `.haft` as a link to files elsewhere. */
const refuseLink = (path: string, place: string): void => {
  if (lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() !== true) return;
  throw new CommandUsageError(
    `${path} is a symbolic link, and the ledger ${place} would be written to its target. Remove the link, or choose the ledger: --ledger sqlite:PATH`,
  );
};

/** A PostgreSQL ledger has no key file, because the operator of the database must not have the key. */
export const needsLedgerKey = (place: string): boolean => /^postgres(?:ql)?:/.test(place);

export const ledgerKeyNote = "A PostgreSQL ledger keeps exact texts only where HAFT_LEDGER_KEY is set.";

/** Messages of a run are stored only with a key. */
export const storesRunTexts = (place: unknown, env: Readonly<Record<string, string | undefined>>): boolean =>
  typeof place !== "string" || !needsLedgerKey(place) || Boolean(env.HAFT_LEDGER_KEY);

export const runNotStoredNote =
  "This run cannot be resumed, even after an answer: without HAFT_LEDGER_KEY its ledger does not store the " +
  "conversation. Set HAFT_LEDGER_KEY to a key (openssl rand -base64 32 creates one), and start the run again.";

/** Its .gitignore keeps the ledger and its key out of repositories. */
export const createLedgerFolder = async (place: string): Promise<void> => {
  const file = ledgerFileOf(place);
  if (file === undefined || normalize(dirname(file)) !== haftFolder) return;
  const ignore = join(haftFolder, ".gitignore");
  for (const path of [haftFolder, file, ignore]) refuseLink(path, place);
  await mkdir(haftFolder, { recursive: true });
  if (!existsSync(ignore)) await writeFile(ignore, "*\n");
};
