import { randomUUID } from "node:crypto";
import { mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { ConfigurationError } from "../../types/errors.ts";
import { type CassetteFile, cassetteVersion } from "./cassette-file.ts";

/** In a fixed order, because changes are reviewed. */
export const toCassetteText = ({ ignore, entries }: CassetteFile): string =>
  `${JSON.stringify({ kind: "haft cassette", version: cassetteVersion, ignore, entries }, null, 2)}\n`;

/** Concurrent readers see the old file until the new one is complete. */
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

const removeTemporaryFile = (file: string): void => {
  try {
    rmSync(file, { force: true });
  } catch {
    // The first error is reported.
  }
};
