import * as Effect from "effect/Effect";
import type { Scope } from "effect/Scope";
import * as TestClock from "effect/testing/TestClock";
import { type CredentialStore, credentials } from "../../src/base/credentials/credentials.ts";
import type { OAuthCredential } from "../../src/base/credentials/oauth/oauth-credential.ts";
import { openHttpEgress } from "../../src/base/http/open-http-egress.ts";
import { clientId, clientSecret, type OAuthServer, oauthServer } from "./oauth-server.ts";

export interface SignInScene {
  readonly server: OAuthServer;
  readonly store: CredentialStore;
}

/** A token store whose credential `calendar` requires a sign-in. */
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
      yield* openHttpEgress({ allow: [server.place] }),
    );
    yield* body({ server, store });
  }).pipe(Effect.scoped, Effect.provide(TestClock.layer()), Effect.runPromise);

export const configuredEndpoints = ({ urls }: OAuthServer) => ({
  tokenUrl: urls.token,
  authorizationUrl: urls.authorize,
});
export const issuerOnly = ({ origin }: OAuthServer) => ({ issuer: origin });
