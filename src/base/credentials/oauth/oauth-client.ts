import * as Effect from "effect/Effect";
import * as Option from "effect/Option";
import * as Redacted from "effect/Redacted";
import { Outside, type OutsideClient } from "../../http/outside.ts";
import type { CredentialsError } from "../../words/errors.ts";
import { CurrentPrincipal, type Principal } from "../../words/principal.ts";
import type { KnownSecrets } from "../known-secrets.ts";
import type { SecretByName } from "../secrets/secrets.ts";
import { type OutboundToken, outboundToken } from "../token.ts";
import { checkOAuth } from "./check-oauth.ts";
import { fileTokenStore } from "./file-token-store.ts";
import { identityOf, keyOf } from "./identity.ts";
import type { OAuthCredential } from "./oauth-credential.ts";
import type { CredentialUse } from "./owner.ts";
import { anotherCaller, nobodyCalls, noClient, unknownCredential } from "./refusals.ts";
import { type SignIn, type SignInAnswer, signIns } from "./sign-in.ts";
import { memoryTokenStore, type TokenStore } from "./token-store.ts";
import { tokens } from "./tokens.ts";

export interface OAuthMeans {
  readonly credentials: Readonly<Record<string, OAuthCredential>>;
  readonly store: TokenStore | string | undefined;
  readonly secret: SecretByName;
  readonly known: KnownSecrets;
  /** The fiber's own, if left out. */
  readonly client: OutsideClient | undefined;
}

export interface OAuth {
  readonly token: (name: string, principal?: Principal) => Effect.Effect<OutboundToken, CredentialsError>;
  readonly renew: (
    name: string,
    refused: OutboundToken,
    principal?: Principal,
  ) => Effect.Effect<OutboundToken, CredentialsError>;
  readonly beginSignIn: (name: string, principal?: Principal) => Effect.Effect<SignIn, CredentialsError>;
  readonly finishSignIn: (answer: SignInAnswer) => Effect.Effect<void, CredentialsError>;
}

/** Tokens by the name of their credential, each for one caller. Throws what is wrong with the configuration. */
export const oauth = ({ credentials, store, secret, known, client }: OAuthMeans): OAuth => {
  checkOAuth(credentials);
  const place = typeof store === "string" ? fileTokenStore(store) : (store ?? memoryTokenStore());
  const kept = tokens({ store: place, secret, known });
  const waiting = signIns(kept, known);

  /** The caller is the fiber's: inside a call nobody can name another one. */
  const ownerOf = Effect.fnUntraced(function* (name: string, given: Principal | undefined) {
    const credential = Object.hasOwn(credentials, name) ? credentials[name] : undefined;
    if (credential === undefined)
      return yield* Effect.fail(unknownCredential(name, Object.keys(credentials)));
    const current = yield* CurrentPrincipal;
    const principal = given ?? current;
    if (principal === undefined) return yield* Effect.fail(nobodyCalls(name));
    const identity = identityOf(principal);
    const currently = current === undefined ? identity : identityOf(current);
    if (identity === undefined || currently === undefined) return yield* Effect.fail(anotherCaller(name));
    const key = keyOf(name, identity);
    if (key !== keyOf(name, currently)) return yield* Effect.fail(anotherCaller(name));
    const found = client ?? Option.getOrUndefined(yield* Effect.serviceOption(Outside));
    if (found === undefined) return yield* Effect.fail(noClient(name));
    return { key, name, credential, principal, client: found } satisfies CredentialUse;
  });

  return {
    token: (name, principal) =>
      ownerOf(name, principal).pipe(
        Effect.flatMap(kept.get),
        Effect.map(({ accessToken }) => outboundToken(accessToken, name)),
      ),
    renew: (name, refused, principal) =>
      ownerOf(name, principal).pipe(
        Effect.flatMap((owner) => kept.renew(owner, Redacted.value(refused))),
        Effect.map(({ accessToken }) => outboundToken(accessToken, name)),
      ),
    beginSignIn: (name, principal) => Effect.flatMap(ownerOf(name, principal), waiting.begin),
    finishSignIn: (answer) => waiting.finish(answer, (name) => ownerOf(name, answer.principal)),
  };
};
