import {
  exchangeAuthorization,
  IssuerMismatchError,
  type OAuthClientInformationMixed,
  type OAuthTokens,
  startAuthorization,
  validateAuthorizationResponseIssuer,
} from "@modelcontextprotocol/client";
import type { RedirectAnswer } from "../../../../base/credentials/oauth/loopback-redirect.ts";
import type { AuthCaller, AuthServices } from "../auth-caller.ts";
import { notRetryableAuthError, signInFailedError, toAuthError } from "../auth-errors.ts";
import type { AuthorizationServer } from "../authorization-server.ts";
import { authUrlProblem } from "../guarded-fetch.ts";
import { createDpopSession, generateDpopKey } from "../tokens/bound-key.ts";
import { type PendingSignIn, trimServerMetadata } from "../tokens/token-bundle.ts";

const signInTtlMs = 10 * 60_000;

interface SignInSetup {
  readonly server: AuthorizationServer;
  readonly client: OAuthClientInformationMixed;
  readonly redirectUrl: string;
  readonly state: string;
  readonly scope: string | undefined;
  readonly isBound: boolean;
}

export const beginSignIn = async (
  { now }: AuthServices,
  caller: AuthCaller,
  setup: SignInSetup,
): Promise<PendingSignIn> => {
  const { owner, server: mcp } = caller;
  const { server, client, redirectUrl, state, scope, isBound } = setup;
  const { metadata, resource } = server;
  if (metadata !== undefined && !metadata.code_challenge_methods_supported?.includes("S256"))
    throw notRetryableAuthError(
      owner.id,
      "has an authorization server without PKCE (S256), so the authorization code could be intercepted",
    );
  let started: Awaited<ReturnType<typeof startAuthorization>>;
  try {
    started = await startAuthorization(server.url, {
      ...(metadata === undefined ? {} : { metadata }),
      clientInformation: client,
      redirectUrl,
      state,
      ...(scope === undefined ? {} : { scope }),
      ...(resource === undefined ? {} : { resource }),
    });
  } catch {
    throw notRetryableAuthError(
      owner.id,
      "has an authorization server that does not issue authorization codes",
    );
  }
  const { authorizationUrl, codeVerifier } = started;
  const reason = authUrlProblem(authorizationUrl.href, new URL(mcp.url));
  if (reason !== undefined) throw notRetryableAuthError(owner.id, `has a sign-in page that ${reason}`);
  return {
    state,
    verifier: codeVerifier,
    url: authorizationUrl.href,
    redirectUrl,
    until: now() + signInTtlMs,
    server: trimServerMetadata(server),
    client,
    ...(scope === undefined ? {} : { asked: scope }),
    ...(isBound ? { key: await generateDpopKey() } : {}),
  };
};

/** The issuer (RFC 9207) is checked before the code or the error is read. */
const checkRedirectAnswer = (
  id: string,
  { server, state, until }: PendingSignIn,
  answer: RedirectAnswer,
  now: number,
): string => {
  if (answer.state !== state) throw signInFailedError(id, "was answered with another state");
  if (until <= now) throw signInFailedError(id, "has expired after 10 minutes; start it again");
  try {
    validateAuthorizationResponseIssuer({
      iss: answer.iss,
      expectedIssuer: server.metadata?.issuer,
      issParameterSupported: server.metadata?.authorization_response_iss_parameter_supported === true,
    });
  } catch (error) {
    if (!(error instanceof IssuerMismatchError)) throw error;
    throw signInFailedError(id, "was answered by another issuer, so the authorization code was not sent");
  }
  if (answer.code === undefined || answer.code === "")
    throw signInFailedError(id, answer.error === "access_denied" ? "was declined" : "was not granted");
  return answer.code;
};

export const finishSignIn = async (
  { now }: AuthServices,
  { owner, fetch }: AuthCaller,
  waiting: PendingSignIn,
  answer: RedirectAnswer,
): Promise<OAuthTokens> => {
  const { server, client, verifier, redirectUrl, key } = waiting;
  const code = checkRedirectAnswer(owner.id, waiting, answer, now());
  try {
    return await exchangeAuthorization(server.url, {
      ...(server.metadata === undefined ? {} : { metadata: server.metadata }),
      clientInformation: client,
      authorizationCode: code,
      ...(answer.iss === undefined ? {} : { iss: answer.iss }),
      codeVerifier: verifier,
      redirectUri: redirectUrl,
      ...(server.resource === undefined ? {} : { resource: server.resource }),
      ...(key === undefined ? {} : { dpop: await createDpopSession(key) }),
      fetchFn: fetch,
    });
  } catch (error) {
    throw toAuthError(owner.id, "a token for the authorization code", error);
  }
};
