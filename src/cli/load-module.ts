import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import type { JsonObject } from "../json/is-object.ts";
import { Misuse } from "./misuse.ts";

/**
 * Runs a file of the user's. What it throws is told with its name; TypeScript is run as it is. Another `version` of a
 * file that was loaded before is loaded again.
 */
export const loadModule = async (file: string, what: string, version?: string): Promise<JsonObject> => {
  const path = resolve(file);
  if (!existsSync(path)) throw new Misuse(`There is no ${what} at ${file}.`);
  try {
    const url = pathToFileURL(path);
    if (version !== undefined) url.search = version;
    return await import(url.href);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    const where = error instanceof SyntaxError ? await lineOf(error, path) : undefined;
    throw new Misuse(
      `The ${what} ${file} cannot be loaded${where === undefined ? "" : `, ${where}`}: ${why}`,
    );
  }
};

const place = /^(?:file:\/\/)?(\/?[^\n]+):(\d+)$/m;

/** Of TypeScript the error says where it is. Of JavaScript Node says so only to whoever lets it check the file. */
const lineOf = async (error: SyntaxError, path: string): Promise<string | undefined> => {
  const stack = error.stack?.startsWith("SyntaxError") === false ? error.stack : await checked(path);
  const [, file, line] = place.exec(stack?.split("\n", 1)[0] ?? "") ?? [];
  return line === undefined ? undefined : `${file === path ? "" : `${file} `}line ${line}`;
};

const checked = async (path: string): Promise<string> => {
  const { spawnSync } = await import("node:child_process");
  return spawnSync(process.execPath, ["--check", path], { encoding: "utf8", timeout: 10_000 }).stderr ?? "";
};
