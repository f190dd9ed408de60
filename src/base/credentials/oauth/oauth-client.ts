import * as Effect from "effect/Effect";
import * as Option from "effect/Option";
import * as Redacted from "effect/Redacted";
import type { CredentialsError } from "../../../types/errors.ts";
import { CurrentPrincipal, type Principal } from "../../../types/principal.ts";
import { HttpEgress, type HttpEgressClient } from "../../http/http-egress.ts";
import type { KnownSecrets } from "../known-secrets.ts";
import type { SecretResolver } from "../secrets/secret-resolver.ts";
import { type OutboundToken, outboundToken } from "../token.ts";
import { checkOAuth } from "./check-oauth.ts";
import {
  noCallerError,
  noHttpClientError,
  quoted,
  unknownCredentialError,
  wrongCallerError,
} from "./credential-errors.ts";
import { fileTokenStore } from "./file-token-store.ts";
import type { OAuthCredential } from "./oauth-credential.ts";
import { type CredentialUse, oauthTokens } from "./oauth-tokens.ts";
import { type SignIn, type SignInAnswer, signIns } from "./sign-in.ts";
import { tokenIdentityOf, tokenKeyOf } from "./token-identity.ts";
import { memoryTokenStore, type TokenStore } from "./token-store.ts";

export interface OAuthClientOptions {
  readonly credentials: Readonly<Record<string, OAuthCredential>>;
  readonly store: TokenStore | string | undefined;
  readonly secret: SecretResolver;
  readonly known: KnownSecrets;
  readonly client: HttpEgressClient | undefined;
}

export interface OAuthClient {
  readonly token: (name: string, principal?: Principal) => Effect.Effect<OutboundToken, CredentialsError>;
  readonly renew: (
    name: string,
    refused: OutboundToken,
    principal?: Principal,
  ) => Effect.Effect<OutboundToken, CredentialsError>;
  readonly beginSignIn: (name: string, principal?: Principal) => Effect.Effect<SignIn, CredentialsError>;
  readonly finishSignIn: (answer: SignInAnswer) => Effect.Effect<void, CredentialsError>;
}

export const oauthClient = ({
  credentials,
  store,
  secret,
  known,
  client,
}: OAuthClientOptions): OAuthClient => {
  checkOAuth(credentials);
  const tokenStore = typeof store === "string" ? fileTokenStore(store) : (store ?? memoryTokenStore());
  const tokens = oauthTokens({ store: tokenStore, secret, known });
  const waiting = signIns(tokens, known);

  /** Inside a call, only the fiber's own principal can be named. */
  const credentialUseOf = Effect.fnUntraced(function* (name: string, given: Principal | undefined) {
    const credential = Object.hasOwn(credentials, name) ? credentials[name] : undefined;
    if (credential === undefined)
      return yield* Effect.fail(unknownCredentialError(name, Object.keys(credentials)));
    const current = yield* CurrentPrincipal;
    const principal = given ?? current;
    if (principal === undefined) return yield* Effect.fail(noCallerError(name));
    const identity = tokenIdentityOf(principal);
    const currently = current === undefined ? identity : tokenIdentityOf(current);
    if (identity === undefined || currently === undefined) return yield* Effect.fail(wrongCallerError(name));
    const key = tokenKeyOf(name, identity);
    if (key !== tokenKeyOf(name, currently)) return yield* Effect.fail(wrongCallerError(name));
    const found = client ?? Option.getOrUndefined(yield* Effect.serviceOption(HttpEgress));
    if (found === undefined) return yield* Effect.fail(noHttpClientError(name));
    const use: CredentialUse = { key, label: quoted(name), name, credential, principal, client: found };
    return use;
  });

  return {
    token: (name, principal) =>
      credentialUseOf(name, principal).pipe(
        Effect.flatMap(tokens.get),
        Effect.map(({ accessToken }) => outboundToken(accessToken, name)),
      ),
    renew: (name, refused, principal) =>
      credentialUseOf(name, principal).pipe(
        Effect.flatMap((owner) => tokens.renew(owner, Redacted.value(refused))),
        Effect.map(({ accessToken }) => outboundToken(accessToken, name)),
      ),
    beginSignIn: (name, principal) => Effect.flatMap(credentialUseOf(name, principal), waiting.begin),
    finishSignIn: (answer) => waiting.finish(answer, (name) => credentialUseOf(name, answer.principal)),
  };
};
