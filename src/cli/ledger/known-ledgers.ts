import { lstatSync, readFileSync } from "node:fs";
import { dirname } from "node:path";
import { hashText } from "../../base/json/hash.ts";
import { redactor } from "../../base/json/redact.ts";
import { realPathFrom } from "../../base/platform/real-path.ts";
import { defaultLedgerPlace } from "../../types/default-ledger-place.ts";
import type { Terminal } from "../command.ts";
import { configurationFile } from "../read-configuration.ts";
import { painter } from "../screen.ts";
import { realFolder, toVisibleLine } from "../trust/launch.ts";
import { isInsideFolder, type Trust } from "../trust/trust.ts";
import { requestedLedger } from "./choose-ledger.ts";
import { ledgerExists, ledgerFileOf } from "./ledger-place.ts";

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
