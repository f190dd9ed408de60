import { readFileSync } from "node:fs";
import * as Context from "effect/Context";
import * as Layer from "effect/Layer";
import { readJson } from "../base/json/read-json.ts";
import { type AnyToolError, ConfigurationError } from "../types/errors.ts";
import { type Config, type ConfigInput, readConfig } from "./config.ts";
import type { ApprovalOptions } from "./haft-options.ts";
import { tryTagged } from "./run-in-runtime.ts";

/** The service that provides the settings. */
export class Configuration extends Context.Service<Configuration, RuntimeConfig>()("haft/Configuration") {}

export interface RuntimeConfig extends Config {
  readonly approvals: { readonly expireAfterMs: number };
}

const day = 86_400_000;

/** Reads the settings of a runtime from a value or a JSON file. */
export const configurationLayer = (
  config?: ConfigInput | string,
  { expireAfterMs = day }: Pick<ApprovalOptions, "expireAfterMs"> = {},
): Layer.Layer<Configuration, AnyToolError> =>
  Layer.effect(
    Configuration,
    tryTagged(() => ({
      ...(typeof config === "string" ? readConfigFile(config) : readConfig(config)),
      approvals: { expireAfterMs },
    })),
  );

export const readConfigFile = (path: string): Config => {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (cause) {
    throw unreadableFileError(path, `${cause instanceof Error ? cause.message : String(cause)}.`);
  }
  const reading = readJson(text);
  if (!reading.ok) throw unreadableFileError(path, reading.problem.message);
  return readConfig(reading.value as ConfigInput, path);
};

const unreadableFileError = (path: string, why: string): ConfigurationError =>
  new ConfigurationError(
    "invalid_config",
    `The configuration file ${path} cannot be read: ${why} Correct the path or the file, or pass the settings as an object.`,
  );
