import type { ValueOrAsync } from "../secrets/value-or-async.ts";

/** A caller's tokens at one service. Times are of the clock, in milliseconds. */
export interface StoredToken {
  readonly accessToken: string;
  readonly refreshToken?: string;
  readonly issuedAt: number;
  readonly expiresAt?: number;
}

/**
 * Where tokens are kept, by a key that names the credential and its caller. A token that was set counts from then on
 * for everybody who shares the store; what it throws is never shown.
 */
export interface TokenStore {
  readonly get: (key: string) => ValueOrAsync<StoredToken | undefined>;
  readonly set: (key: string, token: StoredToken) => ValueOrAsync<void>;
  readonly delete: (key: string) => ValueOrAsync<void>;
  /** Keeps others who share the store from refreshing the same token; answers how to let go. */
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

/** What a store gave, if it is a token. */
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

/** Still good for a request that is sent now: it is renewed a minute early, or at half its life if that is short. */
export const isFresh = ({ issuedAt, expiresAt }: StoredToken, now: number): boolean =>
  expiresAt === undefined || now < expiresAt - Math.min(expirySkewMs, (expiresAt - issuedAt) / 2);
