import { createHash } from "node:crypto";
import { inspect } from "node:util";
import * as Effect from "effect/Effect";
import * as Redacted from "effect/Redacted";
import * as TestClock from "effect/testing/TestClock";
import { describe, expect, it } from "vitest";
import { clientId, type OAuthServer } from "../../../../test/kit/oauth-server.ts";
import {
  configuredEndpoints,
  issuerOnly,
  playSignIn as play,
  type SignInScene,
} from "../../../../test/kit/sign-in-scene.ts";
import { CurrentPrincipal, type Principal } from "../../../types/principal.ts";

const ada: Principal = { agent: "helper", user: "ada" };
const bob: Principal = { agent: "helper", user: "bob" };

describe("sign-in", () => {
  it.each([
    ["with configured endpoints", configuredEndpoints],
    ["with endpoints from issuer metadata", issuerOnly],
    [
      "as a public client",
      (server: OAuthServer) => ({
        ...configuredEndpoints(server),
        clientId: "public",
        clientSecret: undefined,
      }),
    ],
  ])("%s gives the caller a token that can be refreshed", (_, change) =>
    play(change, ({ server, store }) =>
      Effect.gen(function* () {
        const { url, state } = yield* store.beginSignIn("calendar", ada);
        yield* store.finishSignIn({ ...server.consent(url, "ada"), principal: ada });
        expect(state).toMatch(/^[\w-]{43}$/);
        const token = Redacted.value(yield* store.token("calendar", ada));
        yield* TestClock.adjust("2 hours");
        expect(Redacted.value(yield* store.token("calendar", ada))).not.toBe(token);
        expect(server.forms.map((form) => form.get("grant_type"))).toEqual([
          "authorization_code",
          "refresh_token",
        ]);
      }),
    ),
  );

  it("creates an authorization URL with all parameters and no secret", () =>
    play(
      (server) => ({
        ...configuredEndpoints(server),
        authorizationUrl: `${server.urls.authorize}?prompt=consent`,
        resource: "https://api.example",
      }),
      ({ server, store }) =>
        Effect.gen(function* () {
          const { url, state } = yield* store.beginSignIn("calendar", ada);
          const { searchParams, origin, pathname } = new URL(url);
          const { code_challenge: challenge, ...asked } = Object.fromEntries(searchParams);
          expect(origin + pathname).toBe(server.urls.authorize);
          expect(asked).toEqual({
            prompt: "consent",
            response_type: "code",
            client_id: clientId,
            redirect_uri: server.urls.redirect,
            scope: "events.read offline",
            resource: "https://api.example",
            code_challenge_method: "S256",
            state,
          });
          yield* store.finishSignIn({ ...server.consent(url, "ada"), principal: ada });
          const verifier = server.forms[0]?.get("code_verifier") ?? "";
          expect(createHash("sha256").update(verifier).digest("base64url")).toBe(challenge);
        }),
    ));

  it("gives no token to another caller", () =>
    play(configuredEndpoints, ({ server, store }) =>
      Effect.gen(function* () {
        const { url } = yield* store.beginSignIn("calendar", ada);
        yield* store.finishSignIn({ ...server.consent(url, "ada"), principal: ada });
        const error = yield* Effect.flip(store.token("calendar", bob));
        expect(error.message).toContain('This caller has no token for "calendar". The caller must sign in');
        expect(error.message).toContain('beginSignIn("calendar")');
      }),
    ));

  it("defaults to the caller of the fiber", () =>
    play(configuredEndpoints, ({ server, store }) =>
      Effect.gen(function* () {
        const { url } = yield* store.beginSignIn("calendar");
        yield* store.finishSignIn(server.consent(url, "ada"));
        expect(Redacted.value(yield* store.token("calendar"))).toMatch(/^canary-access/);
      }).pipe(Effect.provideService(CurrentPrincipal, ada)),
    ));

  it("replaces the previous token when the caller signs in again", () =>
    play(configuredEndpoints, ({ server, store }) =>
      Effect.gen(function* () {
        for (const user of ["ada", "ada at work"]) {
          const { url } = yield* store.beginSignIn("calendar", ada);
          yield* store.finishSignIn({ ...server.consent(url, user), principal: ada });
        }
        server.revoke("ada");
        yield* TestClock.adjust("2 hours");
        yield* store.token("calendar", ada);
      }),
    ));

  it("works again after the token was revoked, and the error before says that the caller must sign in", () =>
    play(configuredEndpoints, ({ server, store }) =>
      Effect.gen(function* () {
        const signIn = Effect.gen(function* () {
          const { url } = yield* store.beginSignIn("calendar", ada);
          yield* store.finishSignIn({ ...server.consent(url, "ada"), principal: ada });
        });
        yield* signIn;
        server.revoke("ada");
        yield* TestClock.adjust("2 hours");
        const error = yield* Effect.flip(store.token("calendar", ada));
        expect(error.message).toMatch(
          /^The authorization of this caller has ended for "calendar"\. The caller must sign in/,
        );
        yield* signIn;
        yield* store.token("calendar", ada);
      }),
    ));
});

describe("sign-in response", () => {
  const refusal = (
    scene: SignInScene,
    change: (answer: { state: string; code: string; iss: string }) => object,
    wait = 0,
  ) =>
    Effect.gen(function* () {
      const { url } = yield* scene.store.beginSignIn("calendar", ada);
      const answer = { ...scene.server.consent(url, "ada"), principal: ada };
      yield* TestClock.adjust(wait);
      return yield* Effect.flip(scene.store.finishSignIn({ ...answer, ...change(answer) }));
    });

  it.each<[string, object, number]>([
    ["with an unknown state", { state: "guess" }, 0],
    ["from another caller", { principal: bob }, 0],
    ["after ten minutes", {}, 600_000],
  ])("%s is rejected with the same message and without a request", (_, change, wait) =>
    play(configuredEndpoints, (scene) =>
      Effect.gen(function* () {
        const error = yield* refusal(scene, () => change, wait);
        expect(error.message).toMatch(/^No sign-in is pending for this state/);
        expect(scene.server.connections()).toBe(0);
      }),
    ),
  );

  it("without a caller is rejected", () =>
    play(configuredEndpoints, (scene) =>
      Effect.gen(function* () {
        const error = yield* refusal(scene, () => ({ principal: undefined }));
        expect(error.message).toContain("this code has no caller");
      }),
    ));

  it("is accepted once when it arrives twice at the same time", () =>
    play(configuredEndpoints, ({ server, store }) =>
      Effect.gen(function* () {
        const { url } = yield* store.beginSignIn("calendar", ada);
        const answer = { ...server.consent(url, "ada"), principal: ada };
        const both = yield* Effect.all(
          [store.finishSignIn(answer), store.finishSignIn(answer)].map(Effect.result),
          {
            concurrency: "unbounded",
          },
        );
        expect(both.map(({ _tag }) => _tag).sort()).toEqual(["Failure", "Success"]);
        expect(server.forms).toHaveLength(1);
      }),
    ));

  it("from another caller does not use up the state", () =>
    play(configuredEndpoints, ({ server, store }) =>
      Effect.gen(function* () {
        const { url } = yield* store.beginSignIn("calendar", ada);
        const answer = server.consent(url, "ada");
        yield* Effect.flip(store.finishSignIn({ ...answer, principal: bob }));
        yield* store.finishSignIn({ ...answer, principal: ada });
      }),
    ));

  it.each<[string, (server: OAuthServer) => object, string | undefined]>([
    ["from another issuer", issuerOnly, "https://evil.example"],
    ["without the issuer that the metadata promises", issuerOnly, undefined],
    [
      "without the configured issuer",
      (server) => ({ ...configuredEndpoints(server), issuer: server.origin }),
      undefined,
    ],
  ])("%s is rejected before the code is sent to the token endpoint", (_, change, iss) =>
    play(change, (scene) =>
      Effect.gen(function* () {
        const error = yield* refusal(scene, () => ({ iss }));
        expect(error.message).toContain("is not from its issuer");
        expect(scene.server.forms).toHaveLength(0);
      }),
    ),
  );

  it("with a rejected code is reported without the code", () =>
    play(configuredEndpoints, (scene) =>
      Effect.gen(function* () {
        const error = yield* refusal(scene, () => ({ code: "canary-wrong-code" }));
        expect(error.message).toContain("rejects the code of this sign-in");
        expect(inspect(error, { depth: 9 }) + JSON.stringify(error.failure)).not.toContain("canary");
        expect([...scene.store.known()]).toContain("canary-wrong-code");
      }),
    ));
});

describe("pending sign-ins", () => {
  it("evict only the oldest of the same caller when there are too many", () =>
    play(configuredEndpoints, ({ server, store }) =>
      Effect.gen(function* () {
        const others = yield* store.beginSignIn("calendar", bob);
        const mine = [];
        for (let count = 0; count < 7; count++) mine.push(yield* store.beginSignIn("calendar", ada));
        const finish = (url: string, principal: Principal) =>
          Effect.result(store.finishSignIn({ ...server.consent(url, "x"), principal }));
        const ended = yield* Effect.forEach(mine, ({ url }) => finish(url, ada));
        expect(ended.filter(({ _tag }) => _tag === "Success")).toHaveLength(5);
        expect((yield* finish(others.url, bob))._tag).toBe("Success");
      }),
    ));
});
