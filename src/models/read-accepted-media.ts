import { checkFields } from "../base/json/check-fields.ts";
import { ConfigurationError } from "../types/errors.ts";
import type { AcceptedMedia } from "../types/model.ts";

const mediaTypePattern = /^(\*|[a-z0-9.+-]+\/(\*|[a-z0-9.+-]+))$/;

export const readAcceptedMedia = (
  client: string,
  given: AcceptedMedia | undefined,
  usual?: AcceptedMedia,
) => {
  if (given === undefined) return usual;
  checkFields(`${client}: takes`, given, ["data", "url", "maxLength"]);
  const { data, url = [], maxLength } = given;
  if (
    ![data, url].every((types) => Array.isArray(types) && types.every((each) => mediaTypePattern.test(each)))
  ) {
    throw invalidMediaError(
      client,
      'must have lists of media types such as "image/png", "image/*" or "*" in `data` and `url`',
    );
  }
  if (maxLength !== undefined && !(Number.isSafeInteger(maxLength) && maxLength >= 0)) {
    throw invalidMediaError(client, "must have a whole number of characters as its `maxLength`");
  }
  return given;
};

const invalidMediaError = (client: string, why: string): ConfigurationError =>
  new ConfigurationError("invalid_config", `${client}: \`takes\` ${why}.`);
