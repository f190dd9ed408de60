import { readFile } from "node:fs/promises";
import { isObject } from "../base/json/json-value.ts";
import { readJson } from "../base/json/read-json.ts";
import { type ConfigInput, configFromEnvironment, readConfig } from "../runtime/config.ts";
import type { HaftOptions } from "../runtime/haft-options.ts";
import { CommandUsageError, type Terminal } from "./command.ts";

interface SettingFlags {
  readonly repair?: string;
  readonly record?: boolean;
}

/** The command line overrides the environment, which overrides the configuration. */
export const resolveSettings = async (
  config: HaftOptions["config"],
  { repair, record }: SettingFlags,
  { env }: Pick<Terminal, "env">,
): Promise<HaftOptions["config"]> => {
  const fromVariables = settingsFromEnvironment(env);
  const overrides = mergeSettings(fromVariables, {
    ...(repair === undefined ? {} : { hydration: { repair: repair as "off" } }),
    ...(record === true ? { ledger: { keepPayloads: true } } : {}),
  });
  if (Object.keys(overrides).length === 0) return config;
  return mergeSettings(
    (typeof config === "string" ? await readSettingsFile(config) : config) ?? {},
    overrides,
  );
};

/** Checked separately, so that an error names the environment variables. */
const settingsFromEnvironment = (env: Terminal["env"]): ConfigInput => {
  const named = configFromEnvironment(env);
  if (Object.keys(named).length > 0) readConfig(named, "HAFT_ variables of the environment");
  return named;
};

const mergeSettings = (base: ConfigInput, overrides: ConfigInput): ConfigInput => {
  const all: Record<string, unknown> = { ...base };
  for (const [name, value] of Object.entries(overrides)) {
    const before = all[name];
    all[name] = isObject(before) && isObject(value) ? { ...before, ...value } : value;
  }
  return all;
};

export const readSettingsFile = async (file: string): Promise<ConfigInput> => {
  const refuse = (why: string): never => {
    throw new CommandUsageError(
      `The settings in ${file} cannot be read: ${why.replace(/\.$/, "")}. Correct the path or the file.`,
    );
  };
  const reading = readJson(await readFile(file, "utf8").catch((error: Error) => refuse(error.message)));
  return reading.ok ? (reading.value as ConfigInput) : refuse(reading.problem.message);
};
