import { checkFields } from "../json/check-fields.ts";
import { ConfigurationError } from "../words/errors.ts";
import type { TakenMedia } from "../words/model.ts";

const pattern = /^(\*|[a-z0-9.+-]+\/(\*|[a-z0-9.+-]+))$/;

/** What a client is told that its model takes, in place of what is known of its vendor. */
export const readTakes = (client: string, given: TakenMedia | undefined, usual?: TakenMedia) => {
  if (given === undefined) return usual;
  checkFields(`${client}: takes`, given, ["data", "url", "maxLength"]);
  const { data, url = [], maxLength } = given;
  if (![data, url].every((types) => Array.isArray(types) && types.every((each) => pattern.test(each)))) {
    throw refused(
      client,
      'wants lists of media types such as "image/png", "image/*" or "*" in `data` and `url`',
    );
  }
  if (maxLength !== undefined && !(Number.isSafeInteger(maxLength) && maxLength >= 0)) {
    throw refused(client, "wants a whole number of characters as its `maxLength`");
  }
  return given;
};

const refused = (client: string, why: string): ConfigurationError =>
  new ConfigurationError("invalid_config", `${client}: \`takes\` ${why}.`);
