import { readFile } from "node:fs/promises";
import { isObject } from "../json/is-object.ts";
import { type ConfigInput, configFromEnvironment, readConfig } from "../runtime/config.ts";
import type { HaftOptions } from "../runtime/options.ts";
import type { Terminal } from "./command.ts";
import { Misuse } from "./misuse.ts";

interface GivenSettings {
  readonly repair?: string;
  readonly record?: boolean;
}

/** The settings of the command line, then those of the environment, then those of the configuration. */
export const settingsOf = async (
  config: HaftOptions["config"],
  { repair, record }: GivenSettings,
  { env }: Pick<Terminal, "env">,
): Promise<HaftOptions["config"]> => {
  const named = fromEnvironment(env);
  const above = merged(named, {
    ...(repair === undefined ? {} : { hydration: { repair: repair as "off" } }),
    ...(record === true ? { ledger: { keepPayloads: true } } : {}),
  });
  if (Object.keys(above).length === 0) return config;
  return merged((typeof config === "string" ? await readSettings(config) : config) ?? {}, above);
};

/** Checked apart from the rest, so that whoever set a variable is told that it is one. */
const fromEnvironment = (env: Terminal["env"]): ConfigInput => {
  const named = configFromEnvironment(env);
  if (Object.keys(named).length > 0) readConfig(named, "HAFT_ variables of the environment");
  return named;
};

/** Group by group, since each setting stands for itself. */
const merged = (below: ConfigInput, above: ConfigInput): ConfigInput => {
  const all: Record<string, unknown> = { ...below };
  for (const [name, value] of Object.entries(above)) {
    const before = all[name];
    all[name] = isObject(before) && isObject(value) ? { ...before, ...value } : value;
  }
  return all;
};

export const readSettings = async (file: string): Promise<ConfigInput> => {
  try {
    return JSON.parse(await readFile(file, "utf8"));
  } catch {
    throw new Misuse(`The settings in ${file} cannot be read as JSON.`);
  }
};
