import { inspect } from "node:util";
import * as Effect from "effect/Effect";
import * as Redacted from "effect/Redacted";
import * as TestClock from "effect/testing/TestClock";
import { describe, expect, it } from "vitest";
import { clientId, clientSecret, oauthServer } from "../../../../test/kit/oauth-server.ts";
import { ada, bob, playTokens as play, storedTokenOf } from "../../../../test/kit/token-scene.ts";
import { HttpEgress } from "../../http/http-egress.ts";
import { openHttpEgress } from "../../http/open-http-egress.ts";
import { credentials } from "../credentials.ts";
import type { OAuthCredential } from "./oauth-credential.ts";

describe("token request failures", () => {
  it("deletes a revoked token and reports sign_in_required with the remedy", () =>
    play({}, (scene) =>
      Effect.gen(function* () {
        const { server, tokenOf, errorOf } = scene;
        yield* tokenOf(ada);
        yield* tokenOf(bob);
        server.revoke("ada");
        yield* TestClock.adjust("2 hours");
        const error = yield* errorOf(ada);
        expect(error).toMatchObject({ code: "sign_in_required", _tag: "CredentialsError", retryable: false });
        expect(error.message).toContain("Store a new refresh token");
        expect(storedTokenOf(scene, ada)).toBeUndefined();
        yield* tokenOf(bob);
      }),
    ));

  it("returns the old token until it expires while the service is down, then reports a retryable error", () =>
    play({}, ({ server, tokenOf, errorOf }) =>
      Effect.gen(function* () {
        const old = yield* tokenOf(ada);
        yield* TestClock.adjust(3_550_000);
        server.behavior.failures = [503];
        expect(yield* tokenOf(ada)).toBe(old);
        yield* TestClock.adjust(9_999);
        expect(yield* tokenOf(ada)).toBe(old);
        expect(server.forms).toHaveLength(2);
        server.behavior.failures = [503, 429];
        yield* TestClock.adjust(60_000);
        for (const status of [503, 429]) {
          const error = yield* errorOf(ada);
          expect(error.message).toBe(`The token service of "calendar" answered ${status}.`);
          expect(error.retryable).toBe(true);
        }
        expect(yield* tokenOf(ada)).not.toBe(old);
      }),
    ));

  it.each<[string, Partial<OAuthCredential>, string]>([
    ["an unknown client", { clientId: "somebody else" }, "answered 400 and the error invalid_client"],
    [
      "an unreachable token URL",
      { tokenUrl: "http://127.0.0.1:9999/token" },
      "resolves to a loopback address",
    ],
    ["a missing client secret", { clientSecret: "not-there" }, 'The secret "not-there" is not configured'],
    [
      "a refresh token function that throws",
      {
        refreshToken: () => {
          throw new Error("canary");
        },
      },
      "threw. It must return the name",
    ],
  ])("reports %s", (_, credential, message) =>
    play({ credential }, ({ errorOf }) =>
      Effect.gen(function* () {
        const error = yield* errorOf(ada);
        expect(error.message).toContain(message);
        expect(inspect(error, { depth: 9 })).not.toContain("canary");
      }),
    ),
  );

  it.each<[string, Record<string, unknown>, string]>([
    ["no token", { access_token: undefined }, "without a readable token"],
    ["a token with a line break", { access_token: "canary\r\nX: y" }, "without a readable token"],
    ["a token that is not a string", { access_token: { canary: 1 } }, "without a readable token"],
    ["another token type", { token_type: "DPoP" }, "another type than Bearer"],
  ])("reports a token response with %s", (_, change, message) =>
    play({}, ({ server, errorOf }) =>
      Effect.gen(function* () {
        server.behavior.answer = (grant) => ({ ...grant, ...change });
        const error = yield* errorOf(ada);
        expect(error.message).toContain(message);
        expect(inspect(error, { depth: 9 })).not.toContain("canary");
      }),
    ),
  );

  it("reports the configured credentials when the name is unknown", () =>
    play({}, ({ store }) =>
      Effect.gen(function* () {
        for (const name of ["calender", "__proto__", "constructor"]) {
          const error = yield* Effect.flip(store.token(name, ada));
          expect(error.message).toBe(
            `The OAuth credential "${name}" is not configured; the configured credentials are "calendar".`,
          );
        }
      }),
    ));

  it("reports a missing outgoing client and uses the client of the fiber", () =>
    Effect.gen(function* () {
      const server = yield* oauthServer();
      const calendar = {
        grant: "client_credentials",
        clientId,
        clientSecret: "client",
        tokenUrl: server.urls.token,
      } as const;
      const store = credentials({ values: { client: clientSecret }, oauth: { calendar } });
      const error = yield* Effect.flip(store.token("calendar", ada));
      expect(error.message).toContain("provide the service HttpEgress");
      const client = yield* openHttpEgress({ allow: [server.place] });
      yield* Effect.provideService(store.token("calendar", ada), HttpEgress, client);
    }).pipe(Effect.scoped, Effect.runPromise));
});

describe("token that a service rejected", () => {
  it("is renewed once for concurrent renewals of the same token", () =>
    play({}, ({ server, store }) =>
      Effect.gen(function* () {
        const one = yield* store.token("calendar", ada);
        const renewed = yield* Effect.all(
          Array.from({ length: 50 }, () => store.renew("calendar", one, ada)),
          { concurrency: "unbounded" },
        );
        expect(new Set(renewed.map(Redacted.value)).size).toBe(1);
        expect(Redacted.value(renewed[0]!)).not.toBe(Redacted.value(one));
        expect(server.forms).toHaveLength(2);
      }),
    ));

  it("is not renewed again within ten seconds of the last renewal", () =>
    play({}, ({ server, store }) =>
      Effect.gen(function* () {
        const one = yield* store.token("calendar", ada);
        const two = yield* store.renew("calendar", one, ada);
        const error = yield* Effect.flip(store.renew("calendar", two, ada));
        expect(error.message).toContain("directly after it was renewed");
        expect(server.forms).toHaveLength(2);
        yield* TestClock.adjust("10 seconds");
        yield* store.renew("calendar", two, ada);
        expect(server.forms).toHaveLength(3);
      }),
    ));
});

describe("token endpoint request", () => {
  it("sends scopes, audience and resources and authenticates the client by header or form", () =>
    play(
      {
        credential: {
          grant: "client_credentials",
          clientAuth: "form",
          scopes: ["read", "write"],
          audience: "https://api.example",
          resource: ["https://api.example/a", "https://api.example/b"],
        } as never,
      },
      ({ server, tokenOf }) =>
        Effect.gen(function* () {
          yield* tokenOf(ada);
          const form = server.forms[0]!;
          expect(form.get("scope")).toBe("read write");
          expect(form.get("audience")).toBe("https://api.example");
          expect(form.getAll("resource")).toEqual(["https://api.example/a", "https://api.example/b"]);
          expect(server.seen[0]?.headers).not.toHaveProperty("authorization");
        }),
    ));

  it("follows no redirects", () =>
    play({ credential: ({ origin }) => ({ tokenUrl: `${origin}/moved` }) }, ({ server, errorOf }) =>
      Effect.gen(function* () {
        const error = yield* errorOf(ada);
        expect(error.message).toContain("refused to follow more than 0 redirects");
        expect(server.seen.map(({ url }) => url)).toEqual(["/moved"]);
      }),
    ));
});
