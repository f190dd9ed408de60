import { type OAuthTokens, refreshAuthorization } from "@modelcontextprotocol/client";
import type { AuthorizationServer } from "./authorization-server.ts";
import { boundSession } from "./kept/bound-key.ts";
import type { Bundle } from "./kept/bundle.ts";
import { toKept, usableTokens } from "./kept/kept-tokens.ts";
import type { AuthParty, AuthServices } from "./party.ts";
import { codeOf, toRefusal } from "./refusals.ts";

const request = async (
  { owner, fetch }: AuthParty,
  { client, key }: Bundle,
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
      ...(key === undefined ? {} : { dpop: await boundSession(key) }),
      fetchFn: fetch,
    });
  } catch (error) {
    const code = codeOf(error);
    if (code === undefined || code === "server_error" || code === "temporarily_unavailable")
      throw toRefusal(owner.id, "a new token", error);
    return undefined;
  }
};

/**
 * New tokens for old ones, one at a time among all who share the store: a refresh token counts once. Answers whether
 * there are any now; what the service does not take any more is gone, the client it made for us with it.
 */
export const refresh = (
  { book, now }: AuthServices,
  party: AuthParty,
  server: AuthorizationServer,
  refused: string | undefined,
): Promise<boolean> =>
  book.holding(party.owner, async () => {
    const bundle = await book.read(party.owner);
    const { tokens, client, ...rest } = bundle;
    if (usableTokens(bundle, { issuer: server.issuer, refused, now: now() }) !== undefined) return true;
    if (tokens?.refresh_token === undefined || bundle.server?.issuer !== server.issuer) return false;
    const issuedAt = now();
    const renewed = await request(party, bundle, server, tokens.refresh_token);
    if (renewed === undefined) {
      await book.write(party.owner, rest);
      return false;
    }
    const scope = renewed.scope ?? tokens.scope;
    const kept = toKept({ ...renewed, ...(scope === undefined ? {} : { scope }) }, issuedAt);
    await book.write(party.owner, { ...rest, ...(client === undefined ? {} : { client }), tokens: kept });
    return true;
  });
