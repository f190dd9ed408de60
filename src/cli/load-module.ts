import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { Misuse } from "./misuse.ts";

export type Module = Readonly<Record<string, unknown>>;

/** Runs a file of the user's. What it throws is told with its name; TypeScript is run as it is. */
export const loadModule = async (file: string, what: string): Promise<Module> => {
  const path = resolve(file);
  if (!existsSync(path)) throw new Misuse(`There is no ${what} at ${file}.`);
  try {
    return await import(pathToFileURL(path).href);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new Misuse(`The ${what} ${file} cannot be loaded: ${why}`);
  }
};
