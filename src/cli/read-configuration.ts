import { existsSync } from "node:fs";
import type { HaftOptions } from "../runtime/options.ts";
import type { Option } from "./command.ts";
import { loadModule } from "./load-module.ts";
import { Misuse } from "./misuse.ts";

const names = ["haft.config.ts", "haft.config.mts", "haft.config.js", "haft.config.mjs"];

export const configOption = {
  type: "string",
  short: "c",
  value: "FILE",
  about: "a module whose default export goes to Haft.open (haft.config.ts or .js if there is one)",
} as const satisfies Option;

/** What the user's own module wants of a runtime; nothing where there is none. */
export const readConfiguration = async (file: string | undefined): Promise<HaftOptions> => {
  const found = file ?? names.find((name) => existsSync(name));
  if (found === undefined) return {};
  const { default: options } = await loadModule(found, "configuration");
  if (typeof options === "object" && options !== null) return options;
  throw new Misuse(`${found} has no default export with options for Haft.open.`);
};
