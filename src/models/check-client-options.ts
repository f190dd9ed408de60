import { checkFields } from "../base/json/check-fields.ts";
import { ConfigurationError } from "../types/errors.ts";
import type { AcceptedMedia } from "../types/model.ts";

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

export const readApiKey = (
  options: { readonly apiKey?: string },
  variable: string,
  provider: string,
): string => {
  const key = (options.apiKey ?? process.env[variable] ?? "").trim();
  if (key !== "") return key;
  throw new ConfigurationError(
    "invalid_config",
    `${provider} needs a key: set ${variable} in the environment, or pass { apiKey }.`,
  );
};

interface BaseUrlOptions {
  readonly baseUrl?: string;
  /** Alias, as in the vendors' SDKs. */
  readonly baseURL?: string;
}

/** Two different URLs would leave open which server receives the key. */
export const readBaseUrl = (vendor: string, { baseUrl, baseURL }: BaseUrlOptions): string | undefined => {
  if (baseUrl === undefined || baseURL === undefined || baseUrl === baseURL) return baseUrl ?? baseURL;
  throw new ConfigurationError(
    "invalid_config",
    `${vendor} has a baseUrl and a baseURL that differ. They are the same setting: remove one.`,
  );
};

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
