import { type OAuthTokens, refreshAuthorization } from "@modelcontextprotocol/client";
import type { AuthCaller, AuthServices } from "./auth-caller.ts";
import { oauthErrorCode, toAuthError } from "./auth-errors.ts";
import type { AuthorizationServer } from "./authorization-server.ts";
import { createDpopSession } from "./tokens/bound-key.ts";
import { findUsableTokens, toStoredTokens } from "./tokens/stored-tokens.ts";
import type { TokenBundle } from "./tokens/token-bundle.ts";

const requestRefresh = async (
  { owner, fetch }: AuthCaller,
  { client, key }: TokenBundle,
  server: AuthorizationServer,
  refreshToken: string,
): Promise<OAuthTokens | undefined> => {
  if (client === undefined) return undefined;
  try {
    return await refreshAuthorization(server.url, {
      ...(server.metadata === undefined ? {} : { metadata: server.metadata }),
      clientInformation: client,
      refreshToken,
      ...(server.resource === undefined ? {} : { resource: server.resource }),
      ...(key === undefined ? {} : { dpop: await createDpopSession(key) }),
      fetchFn: fetch,
    });
  } catch (error) {
    const code = oauthErrorCode(error);
    if (code === undefined || code === "server_error" || code === "temporarily_unavailable")
      throw toAuthError(owner.id, "a new token", error);
    return undefined;
  }
};

/**
 * Runs under the store's lock, because a refresh token can be used only once. Returns whether usable tokens
 * exist.
 */
export const refreshTokens = (
  { bundles, now }: AuthServices,
  caller: AuthCaller,
  server: AuthorizationServer,
  rejectedToken: string | undefined,
): Promise<boolean> =>
  bundles.withLock(caller.owner, async () => {
    const bundle = await bundles.read(caller.owner);
    const { tokens, client, ...rest } = bundle;
    if (findUsableTokens(bundle, { issuer: server.issuer, refused: rejectedToken, now: now() }) !== undefined)
      return true;
    if (tokens?.refresh_token === undefined || bundle.server?.issuer !== server.issuer) return false;
    const issuedAt = now();
    const renewed = await requestRefresh(caller, bundle, server, tokens.refresh_token);
    if (renewed === undefined) {
      await bundles.write(caller.owner, rest);
      return false;
    }
    const scope = renewed.scope ?? tokens.scope;
    const storedTokens = toStoredTokens({ ...renewed, ...(scope === undefined ? {} : { scope }) }, issuedAt);
    await bundles.write(caller.owner, {
      ...rest,
      ...(client === undefined ? {} : { client }),
      tokens: storedTokens,
    });
    return true;
  });
