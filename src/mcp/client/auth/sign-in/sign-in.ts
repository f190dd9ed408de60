import {
  createAuthorizationRequest,
  isOtherIssuer,
  signInLifetimeMs,
} from "../../../../base/credentials/oauth/authorization-request.ts";
import { authRejectedError } from "../../../../base/credentials/oauth/credential-errors.ts";
import type { RedirectAnswer } from "../../../../base/credentials/oauth/loopback-redirect.ts";
import type { AuthCaller, AuthServices } from "../auth-caller.ts";
import { signInFailedError } from "../auth-errors.ts";
import type { AuthorizationServer } from "../authorization-server.ts";
import { authUrlProblem } from "../guarded-fetch.ts";
import { generateDpopKey } from "../tokens/bound-key.ts";
import { requireTokens } from "../tokens/request-tokens.ts";
import {
  type PendingSignIn,
  type StoredTokens,
  type TokenBundle,
  trimServerMetadata,
} from "../tokens/token-bundle.ts";
import { chooseClient } from "./choose-client.ts";

export interface SignInRequest {
  readonly server: AuthorizationServer;
  readonly scope: string | undefined;
  readonly isBound: boolean;
  readonly mine: TokenBundle;
}

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
