import { checkFields } from "../base/json/check-fields.ts";
import { ConfigurationError } from "../types/errors.ts";

/** With a misspelled URL option, the key would go to the wrong server. */
export const checkClientOptions = (
  vendor: string,
  modelId: unknown,
  options: unknown,
  known: readonly string[],
): void => {
  if (typeof modelId !== "string" || modelId.trim() === "") {
    throw new ConfigurationError(
      "invalid_config",
      `The first argument of ${vendor} must be the id of a model: ${vendor}("…").`,
    );
  }
  checkFields(`${vendor}("${modelId}", { … })`, options, known);
};
