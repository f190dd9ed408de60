import { checkFields } from "../json/check-fields.ts";
import { ConfigurationError } from "../words/errors.ts";

/** A misspelled address would send a key to another server than was meant, so unknown options are refused. */
export const checkClient = (
  vendor: string,
  modelId: unknown,
  options: unknown,
  known: readonly string[],
): void => {
  if (typeof modelId !== "string" || modelId.trim() === "") {
    throw new ConfigurationError(
      "invalid_config",
      `${vendor} takes the id of a model first: ${vendor}("…").`,
    );
  }
  checkFields(`${vendor}("${modelId}", { … })`, options, known);
};
