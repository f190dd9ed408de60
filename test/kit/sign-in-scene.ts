import * as Effect from "effect/Effect";
import type { Scope } from "effect/Scope";
import * as TestClock from "effect/testing/TestClock";
import { type CredentialStore, credentials } from "../../src/credentials/credentials.ts";
import type { OAuthCredential } from "../../src/credentials/oauth/oauth-credential.ts";
import { outside } from "../../src/http/client.ts";
import { clientId, clientSecret, type OAuthServer, oauthServer } from "./oauth-server.ts";

export interface SignInScene {
  readonly server: OAuthServer;
  readonly store: CredentialStore;
}

/** A store whose credential `calendar` takes a person to sign in. */
export const playSignIn = (
  change: (server: OAuthServer) => Partial<OAuthCredential>,
  body: (scene: SignInScene) => Effect.Effect<void, unknown, Scope>,
): Promise<void> =>
  Effect.gen(function* () {
    const server = yield* oauthServer();
    const calendar = {
      grant: "authorization_code",
      clientId,
      clientSecret: "client",
      redirectUrl: server.urls.redirect,
      scopes: ["events.read", "offline"],
      ...change(server),
    } as OAuthCredential;
    const store = credentials(
      { values: { client: clientSecret }, oauth: { calendar } },
      yield* outside({ allow: [server.place] }),
    );
    yield* body({ server, store });
  }).pipe(Effect.scoped, Effect.provide(TestClock.layer()), Effect.runPromise);

export const named = ({ urls }: OAuthServer) => ({ tokenUrl: urls.token, authorizationUrl: urls.authorize });
export const discovered = ({ origin }: OAuthServer) => ({ issuer: origin });
