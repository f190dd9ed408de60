import type { ValueOrAsync } from "../secret-source.ts";

/** A caller's tokens at one service. Times are in milliseconds since the epoch. */
export interface StoredToken {
  readonly accessToken: string;
  readonly refreshToken?: string;
  readonly issuedAt: number;
  readonly expiresAt?: number;
}

/**
 * Stores tokens under a key that names the credential and its caller. A stored token is visible at once to
 * every process that shares the store. Its errors are never shown.
 */
export interface TokenStore {
  readonly get: (key: string) => ValueOrAsync<StoredToken | undefined>;
  readonly set: (key: string, token: StoredToken) => ValueOrAsync<void>;
  readonly delete: (key: string) => ValueOrAsync<void>;
  /**
   * Keeps other processes that share the store from refreshing the same token. Returns a release function.
   */
  readonly hold?: (key: string) => ValueOrAsync<() => ValueOrAsync<void>>;
}

export const memoryTokenStore = (): TokenStore => {
  const tokens = new Map<string, StoredToken>();
  return {
    get: (key) => tokens.get(key),
    set: (key, token) => void tokens.set(key, token),
    delete: (key) => void tokens.delete(key),
  };
};

const isOptional = (value: unknown, type: "string" | "number"): boolean =>
  value === undefined || typeof value === type;

export const isStoredToken = (value: unknown): value is StoredToken => {
  if (typeof value !== "object" || value === null) return false;
  const { accessToken, refreshToken, issuedAt, expiresAt } = value as Partial<StoredToken>;
  return (
    typeof accessToken === "string" &&
    typeof issuedAt === "number" &&
    isOptional(refreshToken, "string") &&
    isOptional(expiresAt, "number")
  );
};

const expirySkewMs = 60_000;

/** A token counts as expired a minute early, or at half of a lifetime under two minutes. */
export const isFresh = ({ issuedAt, expiresAt }: StoredToken, now: number): boolean =>
  expiresAt === undefined || now < expiresAt - Math.min(expirySkewMs, (expiresAt - issuedAt) / 2);
