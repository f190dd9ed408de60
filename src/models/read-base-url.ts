import { ConfigurationError } from "../types/errors.ts";

export interface BaseUrlOptions {
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
