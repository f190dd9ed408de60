import { computeScopeUnion, type OAuthTokens, refreshAuthorization } from "@modelcontextprotocol/client";
import { type AuthCaller, type AuthServices, checkSecretIssuer } from "./auth-caller.ts";
import { notRetryableAuthError, oauthErrorCode, toAuthError } from "./auth-errors.ts";
import { type AuthorizationServer, findAuthorizationServer } from "./authorization-server.ts";
import type { TokenChallenge } from "./challenge.ts";
import { type MachineGrant, requestMachineTokens } from "./machine-grant.ts";
import { requestSignIn, type SignInRequest } from "./sign-in/request-sign-in.ts";
import { createDpopSession } from "./tokens/bound-key.ts";
import { findUsableTokens, toStoredTokens } from "./tokens/stored-tokens.ts";
import { type TokenBundle, trimServerMetadata } from "./tokens/token-bundle.ts";

/** A server that rejects a new token would reject the token of another sign-in too. */
const signInCooldownMs = 60_000;

const noTokens: TokenBundle = Object.freeze({ version: 1 });

export const prepareSignIn = async (
  services: AuthServices,
  caller: AuthCaller,
  challenge: TokenChallenge,
): Promise<SignInRequest> => {
  const { owner, server: mcp, oauth, machine, fetch } = caller;
  const server = await findAuthorizationServer({
    id: owner.id,
    serverUrl: mcp.url,
    resourceMetadataUrl: challenge.resourceMetadataUrl,
    issuer: oauth.issuer ?? machine?.issuer,
    fetch,
  });
  const bundle = await services.bundles.read(owner);
  const ownBundle = bundle.server?.issuer === server.issuer ? bundle : noTokens;
  const scope = scopeToRequest(server, {
    configured: oauth.scope,
    challenged: challenge.scope,
    asked: ownBundle.asked,
    isMachine: machine !== undefined,
  });
  const isBound = challenge.requiresDpop === true || server.requiresDpop || ownBundle.key !== undefined;
  return { server, scope, isBound, mine: ownBundle };
};

const obtainMachineTokens = async (
  { bundles, now, reveal }: AuthServices,
  caller: AuthCaller,
  grant: MachineGrant,
  { server, scope }: SignInRequest,
): Promise<void> => {
  const { owner, fetch } = caller;
  checkSecretIssuer(caller, server, grant.issuer ?? caller.oauth.issuer);
  const issuedAt = now();
  const asked = {
    server,
    clientSecret: grant.clientSecret === undefined ? undefined : await reveal(grant.clientSecret),
    issuer: server.issuer,
    resource: server.resource,
    scope,
    fetch,
  };
  const tokens = await requestMachineTokens(grant, asked).catch((error) => {
    throw toAuthError(owner.id, "a token", error);
  });
  await bundles.write(owner, {
    version: 1,
    server: trimServerMetadata(server),
    tokens: toStoredTokens(tokens, issuedAt),
    ...(scope === undefined ? {} : { asked: scope }),
  });
};

const isRecentSignIn = (
  { signedInAt = 0, tokens }: TokenBundle,
  { rejectedToken: refused }: TokenChallenge,
  now: number,
): boolean => tokens !== undefined && tokens.access_token === refused && now - signedInAt < signInCooldownMs;

export const obtainTokens = async (
  services: AuthServices,
  caller: AuthCaller,
  challenge: TokenChallenge,
): Promise<void> => {
  const { owner, oauth, machine } = caller;
  const { rejectedToken: refused, isStepUp = false } = challenge;
  const bundle = await services.bundles.read(owner);
  // A concurrent request may have obtained a token.
  const usable = findUsableTokens(bundle, { issuer: oauth.issuer, refused, now: services.now() });
  if (!isStepUp && usable !== undefined) return;
  const request = await prepareSignIn(services, caller, challenge);
  if (machine !== undefined) return obtainMachineTokens(services, caller, machine, request);
  const canRefresh = !isStepUp && request.mine.tokens?.refresh_token !== undefined;
  if (canRefresh && (await refreshTokens(services, caller, request.server, refused))) return;
  if (!isStepUp && isRecentSignIn(request.mine, challenge, services.now()))
    throw notRetryableAuthError(
      owner.id,
      "refused a token that was just issued; check its scopes and its audience",
    );
  return requestSignIn(services, caller, canRefresh ? { ...request, mine: noTokens } : request);
};

export const refreshWithoutPrompt = async (
  services: AuthServices,
  caller: AuthCaller,
  server: AuthorizationServer,
): Promise<void> => {
  await refreshTokens(services, caller, server, undefined);
};

interface ScopeSources {
  readonly configured: string | undefined;
  readonly challenged: string | undefined;
  readonly asked: string | undefined;
  readonly isMachine: boolean;
}

/** Never requests fewer scopes than before. */
const scopeToRequest = (
  { metadata, scopes }: AuthorizationServer,
  { configured, challenged, asked, isMachine }: ScopeSources,
): string | undefined => {
  const first = computeScopeUnion(configured, challenged) ?? computeScopeUnion(scopes?.join(" "));
  const scope = computeScopeUnion(asked, first);
  const supportsOfflineAccess = metadata?.scopes_supported?.includes("offline_access") === true;
  return scope === undefined || isMachine || !supportsOfflineAccess
    ? scope
    : computeScopeUnion(scope, "offline_access");
};

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
const refreshTokens = (
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
