import { ConfigurationError } from "../words/errors.ts";

/** A field that nobody reads is a wish that nobody grants, so an unknown one is refused by name. */
export const checkFields = (what: string, given: unknown, known: readonly string[]): void => {
  if (typeof given !== "object" || given === null || Array.isArray(given)) {
    throw new ConfigurationError(
      "invalid_config",
      `${what} must be an object with the fields ${known.join(", ")}.`,
    );
  }
  const unknown = Object.keys(given).find((field) => !known.includes(field));
  if (unknown === undefined) return;
  throw new ConfigurationError(
    "invalid_config",
    `${what} has a field \`${unknown}\`, which means nothing here. The fields are: ${known.join(", ")}.`,
  );
};
