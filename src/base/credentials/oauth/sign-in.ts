import * as Clock from "effect/Clock";
import * as Effect from "effect/Effect";
import type { CredentialsError } from "../../../types/errors.ts";
import type { Principal } from "../../../types/principal.ts";
import type { KnownSecrets } from "../credentials.ts";
import {
  createAuthorizationRequest,
  isOtherIssuer,
  randomToken,
  signInLifetimeMs,
} from "./authorization-request.ts";
import {
  authRejectedError,
  signInUnsupportedError,
  tokenServiceOf,
  tooManySignInsError,
  unknownSignInError,
  wrongIssuerError,
} from "./credential-errors.ts";
import { endpointProblem } from "./oauth-credential.ts";
import type { CredentialUse, OAuthTokens } from "./oauth-tokens.ts";

/** The URL where the user signs in, and the state that identifies the response. */
export interface SignIn {
  readonly url: string;
  readonly state: string;
}

/** The parameters that the service sent to `redirectUrl`. `principal` defaults to the fiber's caller. */
export interface SignInAnswer {
  readonly state: string;
  readonly code: string;
  readonly iss?: string | undefined;
  readonly principal?: Principal | undefined;
}

interface PendingSignIn {
  readonly owner: CredentialUse;
  readonly redirectUrl: string;
  readonly verifier: string;
  readonly saysIssuer: boolean;
  readonly until: number;
}

const maxPendingSignIns = 10_000;
const maxPendingPerCaller = 5;

export interface SignIns {
  readonly begin: (owner: CredentialUse) => Effect.Effect<SignIn, CredentialsError>;
  /** Only the caller that began a sign-in can finish it. */
  readonly finish: (
    answer: SignInAnswer,
    ownerOf: (name: string) => Effect.Effect<CredentialUse, CredentialsError>,
  ) => Effect.Effect<void, CredentialsError>;
}

export const signIns = (tokens: OAuthTokens, known: KnownSecrets): SignIns => {
  const waiting = new Map<string, PendingSignIn>();

  /** Also removes the oldest of this caller, so that one caller cannot crowd out others. */
  const evictExpired = (key: string, now: number): boolean => {
    const own: string[] = [];
    for (const [state, { owner, until }] of waiting) {
      if (until <= now) waiting.delete(state);
      else if (owner.key === key) own.push(state);
    }
    for (const state of own.slice(0, Math.max(0, own.length - maxPendingPerCaller + 1)))
      waiting.delete(state);
    return waiting.size < maxPendingSignIns;
  };

  const begin: SignIns["begin"] = Effect.fnUntraced(function* (owner) {
    const { name, credential, client } = owner;
    if (credential.grant !== "authorization_code")
      return yield* Effect.fail(signInUnsupportedError(name, credential));
    const { clientId, redirectUrl, scopes = [], resource = [], audience } = credential;
    const { authorizationUrl, saysIssuer } = yield* tokens.endpoints(name, credential, client);
    const reason = endpointProblem(authorizationUrl);
    if (authorizationUrl === undefined || reason !== undefined)
      return yield* Effect.fail(
        authRejectedError(tokenServiceOf(name), `has no usable authorization endpoint: it ${reason}`),
      );
    const now = yield* Clock.currentTimeMillis;
    if (!evictExpired(owner.key, now)) return yield* Effect.fail(tooManySignInsError());
    const state = randomToken();
    const { url, verifier } = createAuthorizationRequest({
      authorizationUrl,
      clientId,
      redirectUrl,
      state,
      resource: [resource].flat(),
      more: { scope: scopes.join(" "), audience },
    });
    known.add(verifier);
    waiting.set(state, { owner, redirectUrl, verifier, saysIssuer, until: now + signInLifetimeMs });
    return { url: url.href, state };
  });

  const finish: SignIns["finish"] = Effect.fnUntraced(function* ({ state, code, iss }, ownerOf) {
    const found = waiting.get(state);
    if (typeof code === "string" && code !== "") known.add(code);
    if (found === undefined) return yield* Effect.fail(unknownSignInError());
    const { owner, redirectUrl, verifier, saysIssuer, until } = found;
    const who = yield* ownerOf(owner.name);
    const now = yield* Clock.currentTimeMillis;
    // Another caller's response neither consumes the state nor reveals that it exists.
    if (who.key !== owner.key || until <= now || !waiting.delete(state))
      return yield* Effect.fail(unknownSignInError());
    const { issuer } = owner.credential;
    if (isOtherIssuer({ iss, issuer, saysIssuer })) return yield* Effect.fail(wrongIssuerError(owner.name));
    yield* tokens.exchange(who, {
      grant_type: "authorization_code",
      code: String(code),
      redirect_uri: redirectUrl,
      code_verifier: verifier,
    });
  });

  return { begin, finish };
};
