import { existsSync, lstatSync, readFileSync, statSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join, normalize } from "node:path";
import { hashText } from "../../base/json/canonical-json.ts";
import { redactor } from "../../base/json/redact.ts";
import { realPathFrom } from "../../base/platform/real-path.ts";
import type { HaftOptions } from "../../runtime/haft-options.ts";
import { defaultLedgerPlace } from "../../types/durable-ledger.ts";
import { CommandUsageError, type Option, type Terminal } from "../command.ts";
import { configurationFile } from "../read-configuration.ts";
import { painter } from "../screen.ts";
import { realFolder, toVisibleLine } from "../trust/launch.ts";
import { isInsideFolder, type Trust } from "../trust/trust.ts";

interface LedgerAccess {
  readonly place: unknown;
  readonly given: { readonly ledger?: string; readonly config?: string };
  /** `make`: the command may create the ledger. */
  readonly access: "read" | "write" | "make";
  readonly trust: Trust;
  readonly terminal: Terminal;
}

/** Of all files of a SQLite ledger. */
const fileEndings = ["", ".key", ".blobs", "-wal", "-shm", "-journal"];

/**
 * A cloned repository could contain a ledger and its key, with forged approvals and runs, or links to the
 * ledger of another folder, which is refused. If this user's commands did not create the ledger of an untrusted
 * folder, writes are refused and reads print a warning.
 */
export const requireTrustedLedger = async ({
  place,
  given,
  access,
  trust,
  terminal,
}: LedgerAccess): Promise<void> => {
  const file = typeof place === "string" ? ledgerFileOf(place) : undefined;
  if (file === undefined || requestedLedger(given.ledger, terminal) !== undefined) return;
  const folder = place === defaultLedgerPlace ? "." : dirname(configurationFile(given.config) ?? ".");
  if (!fileEndings.every((ending) => leadsInside(`${file}${ending}`, folder)))
    await trust.requireFolder(folder, [file]);
  if (!ledgerExists(place as string)) {
    if (access !== "make" || (await trust.isTrustedPermanently(folder))) return;
    // With a key that came with the folder, others could write rows of this ledger.
    if (hasKeyFile(file)) await trust.requireFolder(folder, [`${file}.key`]);
    await createKnownLedger(place as string, trust, terminal);
    return;
  }
  if (await trust.isTrusted(folder)) return;
  const known = (await trust.store.read()).entries.ledgers ?? [];
  const [path, key] = [realFolder(file), keyHash(file, terminal.env)];
  if (key !== undefined && known.some((each) => each.path === path && each.key === key)) return;
  if (access !== "read") return trust.requireFolder(folder, [file]);
  terminal.error(
    `${painter(terminal).yellow("!")} ${toVisibleLine(path)} was not created by this user's commands, and its folder is not trusted. Its contents may be forged.\n`,
  );
};

type ChosenLedger = NonNullable<HaftOptions["ledger"]>;

export const requestedLedger = (
  given: string | undefined,
  { env }: Pick<Terminal, "env">,
): string | undefined => given ?? (env.HAFT_LEDGER || undefined);

const warnedTerminals = new WeakSet<Terminal["error"]>();

export const chooseLedger = (
  given: string | undefined,
  configured: HaftOptions["ledger"],
  terminal: Terminal,
): ChosenLedger => {
  const asked = requestedLedger(given, terminal);
  if (asked === undefined) return configured ?? defaultLedgerPlace;
  if (configured !== undefined && configured !== asked && !warnedTerminals.has(terminal.error)) {
    warnedTerminals.add(terminal.error);
    const which = given === undefined ? "HAFT_LEDGER" : "--ledger";
    const note = `The ledger of the configuration is ignored; ${which} is used.`;
    terminal.error(`${painter(terminal).dim(note)}\n`);
  }
  return asked;
};

/** An unused store would keep the process alive. */
export const endUnusedLedger = async (configured: HaftOptions["ledger"], chosen: unknown): Promise<void> => {
  if (typeof configured === "object" && configured !== chosen) await configured.end?.();
};

const haftFolder = ".haft";

export const ledgerOption = {
  type: "string",
  value: "PLACE",
  about: `where calls are recorded: "sqlite:./path.db", "postgres://…" or "memory" ($HAFT_LEDGER, else ${defaultLedgerPlace})`,
} as const satisfies Option;

const ledgerFileOf = (place: string): string | undefined =>
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

/** Resolves links also for a file that does not exist yet. A link to a missing file leads outside. */
export const leadsInside = (file: string, folder: string): boolean => {
  try {
    return isInsideFolder(realPathFrom(".", file), realFolder(folder));
  } catch {
    return false;
  }
};

const createKnownLedger = async (place: string, trust: Trust, terminal: Terminal): Promise<void> => {
  const file = ledgerFileOf(place)!;
  const { openDurableLedger } = await import("../../ledger/open-durable-ledger.ts");
  const made = await openDurableLedger(place, { redactor: redactor({}) });
  await made.end();
  const key = keyHash(file, terminal.env);
  if (key === undefined) return;
  const entry = { path: realFolder(file), key, at: new Date(terminal.now()).toISOString() };
  await trust.store
    .update((entries) => ({
      ...entries,
      ledgers: [...(entries.ledgers ?? []).filter(({ path }) => path !== entry.path), entry],
    }))
    .catch((error: Error) => {
      terminal.error(
        `${painter(terminal).yellow("!")} The ledger ${toVisibleLine(entry.path)} cannot be remembered, so later commands will not use it unless its folder is trusted: ${toVisibleLine(error.message)}\n`,
      );
    });
};

const hasKeyFile = (file: string): boolean =>
  lstatSync(`${file}.key`, { throwIfNoEntry: false }) !== undefined;

/** Rows are authenticated with the key, so another key means another ledger. */
const keyHash = (file: string, env: Terminal["env"]): string | undefined => {
  if (env.HAFT_LEDGER_KEY) return hashText(env.HAFT_LEDGER_KEY);
  try {
    return hashText(readFileSync(`${file}.key`, "utf8"));
  } catch {
    return undefined;
  }
};
