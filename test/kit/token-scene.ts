import * as Effect from "effect/Effect";
import * as Redacted from "effect/Redacted";
import type { Scope } from "effect/Scope";
import * as TestClock from "effect/testing/TestClock";
import { type CredentialStore, credentials } from "../../src/base/credentials/credentials.ts";
import type { OAuthCredential } from "../../src/base/credentials/oauth/oauth-credential.ts";
import {
  memoryTokenStore,
  type StoredToken,
  type TokenStore,
} from "../../src/base/credentials/oauth/token-store.ts";
import { openHttpEgress } from "../../src/base/http/open-http-egress.ts";
import type { CredentialsError } from "../../src/types/errors.ts";
import type { Principal } from "../../src/types/principal.ts";
import { clientId, clientSecret, type OAuthServer, oauthServer } from "./oauth-server.ts";

export const ada: Principal = { agent: "helper", user: "ada", tenant: "north" };
export const bob: Principal = { agent: "helper", user: "bob", tenant: "north" };

export interface TokenScene {
  readonly server: OAuthServer;
  readonly store: CredentialStore;
  readonly kept: TokenStore;
  readonly tokenOf: (principal: Principal) => Effect.Effect<string, CredentialsError>;
  readonly errorOf: (principal: Principal) => Effect.Effect<CredentialsError, unknown>;
}

interface TokenSceneOptions {
  readonly credential?: Partial<OAuthCredential> | ((server: OAuthServer) => Partial<OAuthCredential>);
  readonly tokens?: TokenStore;
}

/** A token store whose credential `calendar` refreshes the token in the secret `first-<user>` by default. */
export const playTokens = (
  setting: TokenSceneOptions,
  body: (scene: TokenScene) => Effect.Effect<void, unknown, Scope>,
): Promise<void> =>
  Effect.gen(function* () {
    const server = yield* oauthServer();
    const first = new Map<string, string>();
    const kept = setting.tokens ?? memoryTokenStore();
    const { credential = {} } = setting;
    const changed = typeof credential === "function" ? credential(server) : credential;
    const refreshes = {
      grant: "refresh_token",
      refreshToken: ({ user }: Principal) => `first-${user}`,
    };
    const calendar = {
      ...(changed.grant === undefined ? refreshes : {}),
      clientId,
      clientSecret: "client",
      tokenUrl: server.urls.token,
      ...changed,
    } as OAuthCredential;
    const secretOf = (name: string): string | undefined => {
      if (name === "client") return clientSecret;
      const user = /^first-(ada|bob)$/.exec(name)?.[1];
      if (user === undefined) return undefined;
      if (!first.has(user)) first.set(user, server.grantTo(user));
      return first.get(user);
    };
    const store = credentials(
      { sources: [secretOf], oauth: { calendar }, tokens: kept },
      yield* openHttpEgress({ allow: [server.place] }),
    );
    const tokenOf = (principal: Principal) => Effect.map(store.token("calendar", principal), Redacted.value);
    const errorOf = (principal: Principal) => Effect.flip(tokenOf(principal));
    yield* body({ server, store, kept, tokenOf, errorOf });
  }).pipe(Effect.scoped, Effect.provide(TestClock.layer()), Effect.runPromise);

export const storedKeyOf = (principal: Principal): string =>
  JSON.stringify(["calendar", principal.tenant ?? null, principal.user ?? null, principal.agent]);

export const storedTokenOf = ({ kept }: TokenScene, principal: Principal): StoredToken | undefined =>
  kept.get(storedKeyOf(principal)) as StoredToken | undefined;
