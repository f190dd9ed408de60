import { join } from "node:path";
import * as Effect from "effect/Effect";
import { SecretFault, toSecret } from "./secret-fault.ts";
import type { SecretFinder } from "./secret-finder.ts";

/** A name that stays inside the directory it is looked for in. */
const isFileName = (name: string): boolean => /^\w[\w.-]{0,254}$/.test(name);

const pathOf = (file: string | Readonly<Record<string, string>>, name: string): string | undefined => {
  if (typeof file !== "string") return Object.hasOwn(file, name) ? file[name] : undefined;
  return isFileName(name) ? join(file, name) : undefined;
};

const read = async (path: string): Promise<string | undefined> => {
  if (typeof path !== "string" || path === "" || path.includes("\0")) {
    throw new SecretFault("the path of its file is no path");
  }
  const { readPrivateFile } = await import("./private-file.ts");
  const bytes = await readPrivateFile(path);
  return bytes === undefined ? undefined : toSecret(bytes, `the file ${path}`);
};

/** Read at every use, so that a file that is replaced counts at once. */
export const fileFinder = (file: string | Readonly<Record<string, string>>): SecretFinder => ({
  find: (name) => {
    const path = pathOf(file, name);
    return path === undefined
      ? Effect.succeed(undefined)
      : Effect.tryPromise({ try: () => read(path), catch: (error) => error });
  },
  places: (name) => {
    const path = pathOf(file, name);
    if (path !== undefined) return [`the file ${path}`];
    return [
      typeof file === "string" ? `${file}, where no file can have its name` : "file, which names none for it",
    ];
  },
});
