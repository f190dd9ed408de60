import type { OAuthTokens } from "@modelcontextprotocol/client";
import { isFresh } from "../../../../base/credentials/oauth/token-store.ts";
import type { PendingSignIn, StoredTokens, TokenBundle } from "./token-bundle.ts";

/** The exact issue time is unknown, so the lifetime starts at the request. */
export const toStoredTokens = (tokens: OAuthTokens, issuedAt: number): StoredTokens => {
  const { access_token, token_type, refresh_token, scope, expires_in } = tokens;
  return {
    access_token,
    token_type,
    ...(refresh_token === undefined ? {} : { refresh_token }),
    ...(scope === undefined ? {} : { scope }),
    issuedAt,
    ...(expires_in === undefined ? {} : { expiresAt: issuedAt + Math.max(0, expires_in) * 1_000 }),
  };
};

export const bundleAfterSignIn = (waiting: PendingSignIn, tokens: StoredTokens): TokenBundle => {
  const { server, client, asked, key } = waiting;
  return {
    version: 1,
    server,
    client,
    tokens,
    ...(asked === undefined ? {} : { asked }),
    signedInAt: tokens.issuedAt,
    ...(key === undefined ? {} : { key }),
  };
};

export const findUsableTokens = (
  { server, tokens }: TokenBundle,
  {
    issuer,
    refused: rejectedToken,
    now,
  }: { issuer: string | undefined; refused?: string | undefined; now: number },
): StoredTokens | undefined => {
  if (tokens === undefined || server === undefined || tokens.access_token === rejectedToken) return undefined;
  if (issuer !== undefined && issuer.replace(/\/$/, "") !== server.issuer.replace(/\/$/, ""))
    return undefined;
  return isFresh({ accessToken: "", ...tokens }, now) ? tokens : undefined;
};
