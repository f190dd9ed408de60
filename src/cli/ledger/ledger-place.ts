import { existsSync, statSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join, normalize } from "node:path";
import type { Option } from "../command.ts";
import { Misuse } from "../misuse.ts";

const folder = ".haft";
export const defaultPlace = `sqlite:${folder}/ledger.db`;

export const ledgerOption = {
  type: "string",
  value: "PLACE",
  about: `where calls are written down: "sqlite:./path.db", "postgres://…" or "memory" ($HAFT_LEDGER, else ${defaultPlace})`,
} as const satisfies Option;

const fileOf = (place: string): string | undefined =>
  place.startsWith("sqlite:") ? place.slice("sqlite:".length) : undefined;

/** Whether there is anything to read. What is on another machine is not known before it is asked. */
export const isThere = (place: string): boolean => {
  const file = fileOf(place);
  return place !== "memory" && (file === undefined || existsSync(file));
};

export const refuseFolder = (place: string): void => {
  const file = fileOf(place);
  if (file === undefined || statSync(file, { throwIfNoEntry: false })?.isDirectory() !== true) return;
  throw new Misuse(`${file} is a folder. A ledger is a file: --ledger sqlite:${join(file, "ledger.db")}`);
};

/** Beside a file there is room for a key; whoever runs a database server must not have it. */
export const needsKey = (place: string): boolean => /^postgres(?:ql)?:/.test(place);

export const keyNote = "A PostgreSQL ledger keeps exact texts only where HAFT_LEDGER_KEY is set.";

/** Whether a run can be gone on with from another process: what was said in it is kept only where there is a key. */
export const keepsRuns = (place: unknown, env: Readonly<Record<string, string | undefined>>): boolean =>
  typeof place !== "string" || !needsKey(place) || Boolean(env.HAFT_LEDGER_KEY);

export const notKept =
  "This run cannot be gone on with, whatever is answered: without HAFT_LEDGER_KEY its ledger keeps nothing of what was " +
  "said in it. Set HAFT_LEDGER_KEY to a key (openssl rand -base64 32 makes one), and start it again.";

/** The default folder is made where it is first needed. With it the key is there too, and neither may get into a repository. */
export const makeRoom = async (place: string): Promise<void> => {
  const file = fileOf(place);
  if (file === undefined || normalize(dirname(file)) !== folder) return;
  await mkdir(folder, { recursive: true });
  const ignore = join(folder, ".gitignore");
  if (!existsSync(ignore)) await writeFile(ignore, "*\n");
};
