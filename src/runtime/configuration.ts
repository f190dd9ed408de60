import { readFileSync } from "node:fs";
import * as Context from "effect/Context";
import * as Layer from "effect/Layer";
import { type AnyToolError, ConfigurationError } from "../words/errors.ts";
import { type Config, type ConfigInput, readConfig } from "./config.ts";
import { orTagged } from "./or-tagged.ts";

/** Settings as a service, so that every layer reads the same ones. */
export class Configuration extends Context.Service<Configuration, Config>()("haft/Configuration") {}

/** Reads and checks the settings of a runtime, from a value or a JSON file. */
export const configurationLayer = (config?: ConfigInput | string): Layer.Layer<Configuration, AnyToolError> =>
  Layer.effect(
    Configuration,
    orTagged(() => (typeof config === "string" ? readConfigFile(config) : readConfig(config))),
  );

/** The settings that stand in a file. */
export const readConfigFile = (path: string): Config => {
  let input: ConfigInput;
  try {
    input = JSON.parse(readFileSync(path, "utf8"));
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new ConfigurationError("invalid_config", `The configuration file ${path} cannot be read: ${why}`);
  }
  return readConfig(input, path);
};
