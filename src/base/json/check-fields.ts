import { ConfigurationError } from "../../types/errors.ts";
import { suggestName } from "../text/nearest.ts";

/** Unknown fields are refused, so that a misspelled option is not ignored. Messages do not name `internal` fields. */
export const checkFields = (
  what: string,
  given: unknown,
  known: readonly string[],
  internal: readonly string[] = [],
): void => {
  if (typeof given !== "object" || given === null || Array.isArray(given)) {
    throw new ConfigurationError(
      "invalid_config",
      typeof given === "function"
        ? `${what} received a function instead of options. Call it to create the layer: ${what}().`
        : `${what} must be an object with the fields ${known.join(", ")}.`,
    );
  }
  const unknown = Object.keys(given).find((field) => !known.includes(field) && !internal.includes(field));
  if (unknown === undefined) return;
  throw new ConfigurationError(
    "invalid_config",
    `${what} has an unknown field \`${unknown}\`.${suggestName(unknown, known)} The fields are: ${known.join(", ")}.`,
  );
};
