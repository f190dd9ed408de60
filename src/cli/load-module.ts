import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import type { JsonObject } from "../base/json/json-value.ts";
import { CommandUsageError } from "./command.ts";

export interface ImportOptions {
  readonly version?: string | undefined;
  /** Rejects files that this process has not imported before. */
  readonly onlyKnown?: boolean;
}

const importedFiles = new Set<string>();

/** Callers check that the folder is trusted, unless the command line names the file. */
export const loadModule = async (
  file: string,
  what: string,
  { version, onlyKnown = false }: ImportOptions = {},
): Promise<JsonObject> => {
  const path = resolve(file);
  if (!existsSync(path)) throw new CommandUsageError(`The ${what} ${file} does not exist.`);
  if (onlyKnown && !importedFiles.has(path))
    throw new CommandUsageError(`${file} is new code. Restart to load it.`);
  importedFiles.add(path);
  try {
    const url = pathToFileURL(path);
    if (version !== undefined) url.search = version;
    return await import(url.href);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    const where = error instanceof SyntaxError ? await syntaxErrorLine(error, path) : undefined;
    throw new CommandUsageError(
      `The ${what} ${file} cannot be loaded${where === undefined ? "" : `, ${where}`}: ${why}`,
    );
  }
};

const errorLocationPattern = /^(?:file:\/\/)?(\/?[^\n]+):(\d+)$/m;

/** For JavaScript, only `node --check` reports the location. */
const syntaxErrorLine = async (error: SyntaxError, path: string): Promise<string | undefined> => {
  const stack = error.stack?.startsWith("SyntaxError") === false ? error.stack : await checkSyntax(path);
  const [, file, line] = errorLocationPattern.exec(stack?.split("\n", 1)[0] ?? "") ?? [];
  return line === undefined ? undefined : `${file === path ? "" : `${file} `}line ${line}`;
};

const checkSyntax = async (path: string): Promise<string> => {
  const { spawnSync } = await import("node:child_process");
  return spawnSync(process.execPath, ["--check", path], { encoding: "utf8", timeout: 10_000 }).stderr ?? "";
};
