import { ConfigurationError } from "../types/errors.ts";

/** The address of a provider's server, under our name for it and under that of the vendors' SDKs. */
export interface BaseUrlOptions {
  readonly baseUrl?: string;
  /** The same, as the vendors' SDKs call it. */
  readonly baseURL?: string;
}

/** One address under two names is fine; two addresses would leave open which server gets the key. */
export const readBaseUrl = (vendor: string, { baseUrl, baseURL }: BaseUrlOptions): string | undefined => {
  if (baseUrl === undefined || baseURL === undefined || baseUrl === baseURL) return baseUrl ?? baseURL;
  throw new ConfigurationError(
    "invalid_config",
    `${vendor} has a baseUrl and a baseURL that differ. They are the same setting: leave one out.`,
  );
};
