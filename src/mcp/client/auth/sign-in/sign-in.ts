import {
  exchangeAuthorization,
  IssuerMismatchError,
  type OAuthClientInformationMixed,
  type OAuthTokens,
  startAuthorization,
  validateAuthorizationResponseIssuer,
} from "@modelcontextprotocol/client";
import type { AuthorizationServer } from "../authorization-server.ts";
import { refusePlace } from "../guarded-fetch.ts";
import { boundSession, newBoundKey } from "../kept/bound-key.ts";
import { type KeptSignIn, trimmed } from "../kept/bundle.ts";
import type { AuthParty, AuthServices } from "../party.ts";
import { never, notSignedIn, toRefusal } from "../refusals.ts";
import type { RedirectAnswer } from "./redirect-answer.ts";

const signInLifeMs = 10 * 60_000;

interface Begun {
  readonly server: AuthorizationServer;
  readonly client: OAuthClientInformationMixed;
  readonly redirectUrl: string;
  readonly state: string;
  readonly scope: string | undefined;
  readonly isBound: boolean;
}

/** Makes the page that a person visits, and keeps what the answer is checked against. */
export const beginSignIn = async (
  { now }: AuthServices,
  party: AuthParty,
  begun: Begun,
): Promise<KeptSignIn> => {
  const { owner, server: mcp } = party;
  const { server, client, redirectUrl, state, scope, isBound } = begun;
  const { metadata, resource } = server;
  if (metadata !== undefined && !metadata.code_challenge_methods_supported?.includes("S256"))
    throw never(
      owner.id,
      "has an authorization service without PKCE (S256), which anybody could listen in on",
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
    throw never(owner.id, "has an authorization service that gives no authorization codes");
  }
  const { authorizationUrl, codeVerifier } = started;
  const reason = refusePlace(authorizationUrl.href, new URL(mcp.url));
  if (reason !== undefined) throw never(owner.id, `sends people to a page that ${reason}`);
  return {
    state,
    verifier: codeVerifier,
    url: authorizationUrl.href,
    redirectUrl,
    until: now() + signInLifeMs,
    server: trimmed(server),
    client,
    ...(scope === undefined ? {} : { asked: scope }),
    ...(isBound ? { key: await newBoundKey() } : {}),
  };
};

/** The issuer is checked before anything else of the answer is believed, its error too. */
const checkAnswer = (
  id: string,
  { server, state, until }: KeptSignIn,
  answer: RedirectAnswer,
  now: number,
): string => {
  if (answer.state !== state) throw notSignedIn(id, "was answered with another state than it began with");
  if (until <= now) throw notSignedIn(id, "is older than 10 minutes; begin again");
  try {
    validateAuthorizationResponseIssuer({
      iss: answer.iss,
      expectedIssuer: server.metadata?.issuer,
      issParameterSupported: server.metadata?.authorization_response_iss_parameter_supported === true,
    });
  } catch (error) {
    if (!(error instanceof IssuerMismatchError)) throw error;
    throw notSignedIn(id, "was answered by somebody else than its issuer; nothing was sent to anybody");
  }
  if (answer.code === undefined || answer.code === "")
    throw notSignedIn(id, answer.error === "access_denied" ? "was declined" : "was not granted");
  return answer.code;
};

/** Trades the code that a person brought back for tokens. */
export const finishSignIn = async (
  { now }: AuthServices,
  { owner, fetch }: AuthParty,
  waiting: KeptSignIn,
  answer: RedirectAnswer,
): Promise<OAuthTokens> => {
  const { server, client, verifier, redirectUrl, key } = waiting;
  const code = checkAnswer(owner.id, waiting, answer, now());
  try {
    return await exchangeAuthorization(server.url, {
      ...(server.metadata === undefined ? {} : { metadata: server.metadata }),
      clientInformation: client,
      authorizationCode: code,
      ...(answer.iss === undefined ? {} : { iss: answer.iss }),
      codeVerifier: verifier,
      redirectUri: redirectUrl,
      ...(server.resource === undefined ? {} : { resource: server.resource }),
      ...(key === undefined ? {} : { dpop: await boundSession(key) }),
      fetchFn: fetch,
    });
  } catch (error) {
    throw toRefusal(owner.id, "a token for the code of a sign-in", error);
  }
};
