import { type OAuthClientInformationMixed, registerClient } from "@modelcontextprotocol/client";
import * as Effect from "effect/Effect";
import {
  createAuthorizationRequest,
  isOtherIssuer,
  signInLifetimeMs,
} from "../../../../base/credentials/oauth/authorization-request.ts";
import { authRejectedError } from "../../../../base/credentials/oauth/credential-errors.ts";
import type { RedirectAnswer } from "../../../../base/credentials/oauth/loopback-redirect.ts";
import {
  type ClientAuthentication,
  requestToken,
  type TokenRefusal,
  tokenRefusedError,
} from "../../../../base/credentials/oauth/token-request.ts";
import { type CredentialsError, ToolError } from "../../../../types/errors.ts";
import { type AuthCaller, type AuthServices, checkSecretIssuer } from "../auth-caller.ts";
import type { AuthorizationServer } from "../authorization-server.ts";
import { signInFailedError } from "../challenge.ts";
import { authUrlProblem } from "../guarded-fetch.ts";
import {
  createDpopSession,
  type DpopKey,
  generateDpopKey,
  type PendingSignIn,
  type StoredTokens,
  type TokenBundle,
  trimServerMetadata,
} from "../token-bundle.ts";

export interface SignInRequest {
  readonly server: AuthorizationServer;
  readonly scope: string | undefined;
  readonly isBound: boolean;
  readonly mine: TokenBundle;
}

interface ClientQuery {
  readonly server: AuthorizationServer;
  readonly redirectUrl: string;
  readonly scope: string | undefined;
  readonly kept: OAuthClientInformationMixed | undefined;
}

const isUsableClient = (client: OAuthClientInformationMixed, redirectUrl: string, now: number): boolean => {
  const uris = "redirect_uris" in client ? client.redirect_uris : undefined;
  const expires = client.client_secret_expires_at ?? 0;
  const isKnown = uris === undefined || uris.some((uri) => String(uri) === redirectUrl);
  return isKnown && (expires === 0 || expires * 1_000 > now);
};

const authMethodFor = ({ metadata }: AuthorizationServer): string | undefined => {
  const methods = metadata?.token_endpoint_auth_methods_supported;
  // A secret on a user's machine is not confidential, so a public client is preferred.
  if (methods === undefined || methods.includes("none")) return "none";
  return ["client_secret_basic", "client_secret_post"].find((method) => methods.includes(method));
};

const registerNewClient = async (
  { owner, fetch }: AuthCaller,
  { server, redirectUrl, scope }: ClientQuery,
) => {
  const method = authMethodFor(server);
  try {
    return await registerClient(server.url, {
      ...(server.metadata === undefined ? {} : { metadata: server.metadata }),
      clientMetadata: {
        client_name: "Haft",
        redirect_uris: [redirectUrl],
        grant_types: ["authorization_code", "refresh_token"],
        response_types: ["code"],
        application_type: new URL(redirectUrl).protocol === "http:" ? "native" : "web",
        ...(method === undefined ? {} : { token_endpoint_auth_method: method }),
      },
      ...(scope === undefined ? {} : { scope }),
      fetchFn: fetch,
    });
  } catch (error) {
    if (ToolError.is(error)) throw error;
    throw authRejectedError(
      owner.label,
      "has an authorization server without dynamic client registration; register a client and set oauth.clientId",
    );
  }
};

export const isFixedClient = ({ oauth }: AuthCaller, { metadata }: AuthorizationServer): boolean =>
  oauth.clientId !== undefined ||
  (oauth.clientMetadataUrl !== undefined && metadata?.client_id_metadata_document_supported === true);

const chooseClient = async (
  { now, reveal }: AuthServices,
  caller: AuthCaller,
  query: ClientQuery,
): Promise<OAuthClientInformationMixed> => {
  const { clientId, clientSecret, clientMetadataUrl } = caller.oauth;
  if (clientId !== undefined) {
    if (clientSecret === undefined) return { client_id: clientId };
    checkSecretIssuer(caller, query.server);
    return { client_id: clientId, client_secret: await reveal(clientSecret) };
  }
  if (clientMetadataUrl !== undefined && isFixedClient(caller, query.server))
    return { client_id: clientMetadataUrl };
  if (query.kept !== undefined && isUsableClient(query.kept, query.redirectUrl, now())) return query.kept;
  return registerNewClient(caller, query);
};

export const beginSignIn = async (
  services: AuthServices,
  caller: AuthCaller,
  { server, scope, isBound, mine }: SignInRequest,
  { redirectUrl, state }: { readonly redirectUrl: string; readonly state: string },
): Promise<PendingSignIn> => {
  const { owner, server: mcp } = caller;
  const client = await chooseClient(services, caller, { server, redirectUrl, scope, kept: mine.client });
  const { metadata, resource } = server;
  if (metadata !== undefined && !metadata.code_challenge_methods_supported?.includes("S256"))
    throw authRejectedError(
      owner.label,
      "has an authorization server without PKCE (S256), so the authorization code could be intercepted",
    );
  if (metadata !== undefined && !metadata.response_types_supported.includes("code"))
    throw authRejectedError(
      owner.label,
      "has an authorization server that does not issue authorization codes",
    );
  const { url, verifier } = createAuthorizationRequest({
    authorizationUrl: metadata?.authorization_endpoint ?? new URL("/authorize", server.url).href,
    clientId: client.client_id,
    redirectUrl,
    state,
    resource: resource === undefined ? [] : [resource],
    // Some services issue refresh tokens only after the user consented again.
    more: { scope, prompt: scope?.split(" ").includes("offline_access") ? "consent" : undefined },
  });
  const reason = authUrlProblem(url.href, new URL(mcp.url));
  if (reason !== undefined) throw authRejectedError(owner.label, `has a sign-in page that ${reason}`);
  return {
    state,
    verifier,
    url: url.href,
    redirectUrl,
    until: services.now() + signInLifetimeMs,
    server: trimServerMetadata(server),
    client,
    ...(scope === undefined ? {} : { asked: scope }),
    ...(isBound ? { key: await generateDpopKey() } : {}),
  };
};

const checkRedirectAnswer = (
  label: string,
  { server: { metadata }, state, until }: PendingSignIn,
  { iss, ...answer }: RedirectAnswer,
  now: number,
): string => {
  if (answer.state !== state) throw signInFailedError(label, "was answered with another state");
  if (until <= now) throw signInFailedError(label, "has expired after 10 minutes; start it again");
  const saysIssuer = metadata?.authorization_response_iss_parameter_supported === true;
  if (isOtherIssuer({ iss, issuer: metadata?.issuer, saysIssuer }))
    throw signInFailedError(label, "was answered by another issuer, so the authorization code was not sent");
  if (answer.code === undefined || answer.code === "")
    throw signInFailedError(label, answer.error === "access_denied" ? "was declined" : "was not granted");
  return answer.code;
};

interface ServerTokenRequest {
  readonly server: AuthorizationServer;
  readonly client: OAuthClientInformationMixed;
  readonly form: Readonly<Record<string, string | undefined>>;
  readonly key?: DpopKey | undefined;
}

export const requestTokens = Effect.fnUntraced(function* (
  { known, now }: AuthServices,
  { owner, egress }: AuthCaller,
  { server, client, form, key }: ServerTokenRequest,
): Effect.fn.Return<StoredTokens, CredentialsError | TokenRefusal> {
  const fields = new URLSearchParams();
  for (const [name, value] of Object.entries({ ...form, resource: server.resource }))
    if (value !== undefined) fields.set(name, value);
  const granted = yield* requestToken(
    {
      service: `authorization server of the ${owner.label}`,
      tokenUrl: server.metadata?.token_endpoint ?? new URL("/token", server.url).href,
      form: fields,
      authentication: authenticationOf(client, server),
      proof: key && (yield* Effect.promise(() => createDpopSession(key))),
    },
    { client: egress, known, now: now() },
  );
  const { accessToken, tokenType, refreshToken, scope, issuedAt, expiresAt } = granted;
  return {
    access_token: accessToken,
    token_type: tokenType,
    ...(refreshToken === undefined ? {} : { refresh_token: refreshToken }),
    ...(scope === undefined ? {} : { scope }),
    issuedAt,
    ...(expiresAt === undefined ? {} : { expiresAt }),
  };
});

/** Rejects if the server refuses the request. */
export const requireTokens = (
  services: AuthServices,
  caller: AuthCaller,
  request: ServerTokenRequest,
): Promise<StoredTokens> =>
  Effect.runPromise(
    Effect.catchTag(requestTokens(services, caller, request), "TokenRefusal", (refusal) =>
      Effect.fail(tokenRefusedError(`authorization server of the ${caller.owner.label}`, refusal)),
    ),
  );

const authMethods = ["client_secret_basic", "client_secret_post", "none"] as const;

/** Uses the method that the client was registered with, or the first one that the server supports. */
const authenticationOf = (
  client: OAuthClientInformationMixed,
  { metadata }: AuthorizationServer,
): ClientAuthentication => {
  const { client_id: clientId, client_secret: clientSecret } = client;
  const supported = metadata?.token_endpoint_auth_methods_supported;
  const registered = "token_endpoint_auth_method" in client ? client.token_endpoint_auth_method : undefined;
  const method = [authMethods.find((one) => one === registered), ...authMethods].find(
    (one) => one !== undefined && (supported === undefined || supported.includes(one)),
  );
  if (method === "none") return { clientId, method: "form" };
  return { clientId, clientSecret, method: method === "client_secret_basic" ? "basic" : "form" };
};

export const finishSignIn = async (
  services: AuthServices,
  caller: AuthCaller,
  waiting: PendingSignIn,
  answer: RedirectAnswer,
): Promise<StoredTokens> => {
  const { server, client, verifier, redirectUrl, key } = waiting;
  const code = checkRedirectAnswer(caller.owner.label, waiting, answer, services.now());
  return requireTokens(services, caller, {
    server,
    client,
    form: { grant_type: "authorization_code", code, redirect_uri: redirectUrl, code_verifier: verifier },
    key,
  });
};
