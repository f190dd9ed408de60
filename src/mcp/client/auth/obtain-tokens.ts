import { computeScopeUnion } from "@modelcontextprotocol/client";
import * as Effect from "effect/Effect";
import { authRejectedError } from "../../../base/credentials/oauth/credential-errors.ts";
import { type AuthCaller, type AuthServices, checkSecretIssuer, type MachineGrant } from "./auth-caller.ts";
import { type AuthorizationServer, findAuthorizationServer } from "./authorization-server.ts";
import type { TokenChallenge } from "./challenge.ts";
import { requestSignIn } from "./sign-in/request-sign-in.ts";
import { requestTokens, requireTokens, type SignInRequest } from "./sign-in/sign-in.ts";
import { findUsableTokens, type TokenBundle, trimServerMetadata } from "./token-bundle.ts";

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
    label: owner.label,
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
  services: AuthServices,
  caller: AuthCaller,
  grant: MachineGrant,
  { server, scope }: SignInRequest,
): Promise<void> => {
  const { clientId, clientSecret } = grant;
  checkSecretIssuer(caller, server, grant.issuer ?? caller.oauth.issuer);
  const secret = clientSecret === undefined ? undefined : await services.reveal(clientSecret);
  const { issuer, resource } = server;
  const form = await grant.form({ issuer, resource, scope, fetch: caller.fetch });
  const client = { client_id: clientId, ...(secret === undefined ? {} : { client_secret: secret }) };
  const tokens = await requireTokens(services, caller, {
    server,
    client,
    form: { ...form, scope },
  });
  const bundle: TokenBundle = {
    version: 1,
    server: trimServerMetadata(server),
    tokens,
    ...(scope === undefined ? {} : { asked: scope }),
  };
  await services.bundles.write(caller.owner, bundle);
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
    throw authRejectedError(
      owner.label,
      "refused a token that was just issued; check its scopes and its audience",
    );
  return requestSignIn(services, caller, canRefresh ? { ...request, mine: noTokens } : request);
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

/**
 * Runs under the store's lock, because a refresh token can be used only once. Returns whether usable tokens
 * exist.
 */
export const refreshTokens = (
  services: AuthServices,
  caller: AuthCaller,
  server: AuthorizationServer,
  rejectedToken?: string | undefined,
): Promise<boolean> => {
  const { bundles, now } = services;
  return bundles.withLock(caller.owner, async () => {
    const bundle = await bundles.read(caller.owner);
    const { tokens, client, ...rest } = bundle;
    if (findUsableTokens(bundle, { issuer: server.issuer, refused: rejectedToken, now: now() }) !== undefined)
      return true;
    if (tokens?.refresh_token === undefined || bundle.server?.issuer !== server.issuer) return false;
    const request = client && {
      server,
      client,
      form: { grant_type: "refresh_token", refresh_token: tokens.refresh_token },
      key: bundle.key,
    };
    const renewed =
      request &&
      (await Effect.runPromise(
        Effect.catchTag(requestTokens(services, caller, request), "TokenRefusal", () => Effect.void),
      ));
    if (renewed === undefined) {
      await bundles.write(caller.owner, rest);
      return false;
    }
    const { refresh_token, scope } = tokens;
    await bundles.write(caller.owner, {
      ...bundle,
      tokens: { refresh_token, ...(scope === undefined ? {} : { scope }), ...renewed },
    });
    return true;
  });
};
