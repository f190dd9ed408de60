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

/** The default folder is made where it is first needed. With it the key is there too, and neither may get into a repository. */
export const makeRoom = async (place: string): Promise<void> => {
  const file = fileOf(place);
  if (file === undefined || normalize(dirname(file)) !== folder) return;
  await mkdir(folder, { recursive: true });
  const ignore = join(folder, ".gitignore");
  if (!existsSync(ignore)) await writeFile(ignore, "*\n");
};
