import { randomUUID } from "node:crypto";
import { mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { ConfigurationError } from "../../types/errors.ts";
import { type CassetteFile, cassetteVersion } from "./cassette-file.ts";

/** Pretty and in a fixed order, since people review what changes in it. */
export const toCassetteText = ({ ignore, entries }: CassetteFile): string =>
  `${JSON.stringify({ kind: "haft cassette", version: cassetteVersion, ignore, entries }, null, 2)}\n`;

/** Whole or not at all: whoever reads meanwhile finds the old tape. */
export const writeCassetteFile = (path: string, tape: CassetteFile): void => {
  const temporary = `${path}.${randomUUID().slice(0, 8)}.tmp`;
  try {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(temporary, toCassetteText(tape), { flag: "wx" });
    renameSync(temporary, path);
  } catch (cause) {
    removeTemporaryFile(temporary);
    const said = cause instanceof Error ? cause.message : String(cause);
    throw new ConfigurationError("invalid_config", `The cassette ${path} cannot be written: ${said}`, {
      cause,
    });
  }
};

/** Where the folder itself is no folder, there is nothing to discard. */
const removeTemporaryFile = (file: string): void => {
  try {
    rmSync(file, { force: true });
  } catch {
    // What went wrong first is what is told.
  }
};
