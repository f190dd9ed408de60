import * as Effect from "effect/Effect";
import * as TestClock from "effect/testing/TestClock";
import { describe, expect, it } from "vitest";
import { issuerOnly, playSignIn as play } from "../../../../test/kit/sign-in-scene.ts";
import type { Principal } from "../../../types/principal.ts";

const ada: Principal = { agent: "helper", user: "ada" };
const bob: Principal = { agent: "helper", user: "bob" };

describe("issuer metadata", () => {
  it.each<[string, Record<string, unknown>, string]>([
    ["another issuer", { issuer: "https://evil.example" }, "metadata of another issuer"],
    ["a javascript: endpoint", { authorization_endpoint: "javascript:alert(1)" }, "is not https:"],
    ["an http: endpoint on another machine", { token_endpoint: "http://evil.example/token" }, "use https:"],
    ["a file: endpoint", { token_endpoint: "file:///etc/passwd" }, "is not https:"],
    ["no token endpoint", { token_endpoint: undefined }, "without a token_endpoint"],
    ["no authorization endpoint", { authorization_endpoint: undefined }, "is not an absolute URL"],
    ["no S256 support", { code_challenge_methods_supported: ["plain"] }, "PKCE with S256"],
  ])("rejects metadata with %s", (_, change, message) =>
    play(issuerOnly, ({ server, store }) =>
      Effect.gen(function* () {
        Object.assign(server.behavior.metadata, change);
        const error = yield* Effect.flip(store.beginSignIn("calendar", ada));
        expect(error.message).toContain(message);
      }),
    ),
  );

  it("fetches the metadata once per hour", () =>
    play(issuerOnly, ({ server, store }) =>
      Effect.gen(function* () {
        yield* store.beginSignIn("calendar", ada);
        yield* TestClock.adjust("59 minutes");
        yield* store.beginSignIn("calendar", bob);
        expect(server.seen).toHaveLength(1);
        yield* TestClock.adjust("1 minute");
        yield* store.beginSignIn("calendar", bob);
        expect(server.seen).toHaveLength(2);
      }),
    ));

  it("uses the well-known paths of RFC 8414 and OpenID Connect for an issuer with a path", () =>
    play(
      ({ origin }) => ({ issuer: `${origin}/tenant/` }),
      ({ server, store }) =>
        Effect.gen(function* () {
          server.behavior.metadata.issuer = `${server.origin}/tenant/`;
          yield* store.beginSignIn("calendar", ada);
          expect(server.seen[0]?.url).toBe("/.well-known/oauth-authorization-server/tenant");
        }),
    ));
});
