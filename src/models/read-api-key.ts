import { ConfigurationError } from "../types/errors.ts";

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
