import { inspect } from "node:util";
import * as Effect from "effect/Effect";
import * as Fiber from "effect/Fiber";
import * as Redacted from "effect/Redacted";
import * as TestClock from "effect/testing/TestClock";
import { describe, expect, it } from "vitest";
import {
  ada,
  bob,
  playTokens as play,
  storedKeyOf,
  storedTokenOf,
} from "../../../../test/kit/token-scene.ts";
import { CurrentPrincipal, type Principal } from "../../../types/principal.ts";
import { memoryTokenStore, type StoredToken, type TokenStore } from "./token-store.ts";

describe("access token", () => {
  it("is fetched once and reused until one minute before it expires", () =>
    play({}, (scene) =>
      Effect.gen(function* () {
        const one = yield* scene.tokenOf(ada);
        yield* TestClock.adjust(3_539_999);
        expect(yield* scene.tokenOf(ada)).toBe(one);
        yield* TestClock.adjust(1);
        expect(yield* scene.tokenOf(ada)).not.toBe(one);
        expect(scene.server.forms).toHaveLength(2);
      }),
    ));

  it("with a short lifetime is reused for half of it", () =>
    play({}, ({ server, tokenOf }) =>
      Effect.gen(function* () {
        server.behavior.expiresIn = 30;
        const one = yield* tokenOf(ada);
        yield* TestClock.adjust(14_999);
        expect(yield* tokenOf(ada)).toBe(one);
        yield* TestClock.adjust(1);
        expect(yield* tokenOf(ada)).not.toBe(one);
      }),
    ));

  it("without an expiry is reused until a service rejects it", () =>
    play({}, ({ server, store, tokenOf }) =>
      Effect.gen(function* () {
        server.behavior.expiresIn = undefined;
        const one = yield* store.token("calendar", ada);
        yield* TestClock.adjust("300 days");
        expect(yield* tokenOf(ada)).toBe(Redacted.value(one));
        const two = yield* store.renew("calendar", one, ada);
        expect(Redacted.value(two)).not.toBe(Redacted.value(one));
      }),
    ));

  it("is fetched once for a hundred concurrent requests", () =>
    play({}, ({ server, tokenOf }) =>
      Effect.gen(function* () {
        const ask = Effect.all(
          Array.from({ length: 100 }, () => tokenOf(ada)),
          { concurrency: "unbounded" },
        );
        expect(new Set(yield* ask).size).toBe(1);
        yield* TestClock.adjust("2 hours");
        expect(new Set(yield* ask).size).toBe(1);
        expect(server.forms).toHaveLength(2);
      }),
    ));

  it("is still fetched for the other callers when the first one cancels", () =>
    play({}, ({ server, tokenOf }) =>
      Effect.gen(function* () {
        const { promise, resolve } = Promise.withResolvers<void>();
        server.behavior.waitFor = promise;
        const first = yield* Effect.forkChild(tokenOf(ada), { startImmediately: true });
        const second = yield* Effect.forkChild(tokenOf(ada), { startImmediately: true });
        while (server.seen.length === 0) yield* Effect.promise(() => new Promise(setImmediate));
        yield* Fiber.interrupt(first);
        resolve();
        expect(yield* Fiber.join(second)).toMatch(/^canary-access-/);
        expect(server.forms).toHaveLength(1);
      }),
    ));

  it("is returned after its refresh token is stored", () =>
    play({}, (scene) =>
      Effect.gen(function* () {
        const token = yield* scene.tokenOf(ada);
        expect(storedTokenOf(scene, ada)?.accessToken).toBe(token);
        const before = storedTokenOf(scene, ada)?.refreshToken;
        yield* TestClock.adjust("2 hours");
        yield* scene.tokenOf(ada);
        expect(scene.server.forms.at(-1)?.get("refresh_token")).toBe(before);
        expect(storedTokenOf(scene, ada)?.refreshToken).not.toBe(before);
      }),
    ));

  it("is neither returned nor lost when the token store fails", () => {
    const memory = memoryTokenStore();
    let isBroken = true;
    const tokens: TokenStore = {
      ...memory,
      set: (key, token) => {
        if (isBroken) throw new Error(`disk full while writing ${JSON.stringify(token)}`);
        return memory.set(key, token);
      },
    };
    return play({ tokens }, ({ server, errorOf, tokenOf }) =>
      Effect.gen(function* () {
        const error = yield* errorOf(ada);
        expect(error.message).toBe('The token store could not be written for "calendar".');
        expect(inspect(error, { depth: 9 })).not.toMatch(/canary/);
        isBroken = false;
        yield* tokenOf(ada);
        expect(server.forms).toHaveLength(1);
      }),
    );
  });

  it("is refreshed with the same refresh token when the server does not rotate it", () =>
    play({}, ({ server, tokenOf }) =>
      Effect.gen(function* () {
        server.behavior.rotates = false;
        yield* tokenOf(ada);
        yield* TestClock.adjust("2 hours");
        yield* tokenOf(ada);
        expect(new Set(server.forms.map((form) => form.get("refresh_token"))).size).toBe(1);
      }),
    ));

  it("is taken from the store when another process refreshed it, even if the server rejects the older refresh token", () =>
    play({}, (scene) =>
      Effect.gen(function* () {
        const { server, kept, tokenOf } = scene;
        yield* tokenOf(ada);
        yield* TestClock.adjust("2 hours");
        const other: StoredToken = { accessToken: "canary-other", refreshToken: "r", issuedAt: 7_200_000 };
        const { promise, resolve } = Promise.withResolvers<void>();
        server.behavior.waitFor = promise;
        server.revoke("ada");
        const asked = yield* Effect.forkChild(tokenOf(ada), { startImmediately: true });
        while (server.seen.length < 2) yield* Effect.promise(() => new Promise(setImmediate));
        kept.set(storedKeyOf(ada), other);
        resolve();
        expect(yield* Fiber.join(asked)).toBe("canary-other");
        expect(storedTokenOf(scene, ada)).toEqual(other);
      }),
    ));
});

describe("token owner", () => {
  it("returns different tokens to different callers, whatever their names", () =>
    play({ credential: { grant: "client_credentials" } as never }, ({ tokenOf }) =>
      Effect.gen(function* () {
        const callers: Principal[] = [
          ada,
          bob,
          { agent: "helper" },
          { agent: "helper", user: "" },
          { agent: "helper", user: "ada" },
          { agent: "helper", tenant: "ada" },
          { agent: "other", user: "ada", tenant: "north" },
          { agent: '"],["', user: "ada" },
          { agent: "helper", user: 'ada","helper' },
          { agent: "null", user: "null", tenant: "null" },
        ];
        const tokens = yield* Effect.all(callers.map(tokenOf), { concurrency: "unbounded" });
        expect(new Set(tokens).size).toBe(callers.length);
        expect(yield* Effect.all(callers.map(tokenOf))).toEqual(tokens);
        expect(yield* tokenOf({ ...ada, session: "another", roles: ["admin"] })).toBe(tokens[0]);
      }),
    ));

  it("defaults to the caller of the fiber, and another caller cannot be named inside a call", () =>
    play({}, ({ store, tokenOf, server }) =>
      Effect.gen(function* () {
        const own = yield* Effect.provideService(store.token("calendar"), CurrentPrincipal, ada);
        expect(Redacted.value(own)).toBe(yield* tokenOf(ada));
        const error = yield* Effect.flip(
          Effect.provideService(store.token("calendar", bob), CurrentPrincipal, ada),
        );
        expect(error.message).toContain("is available only to its own caller");
        expect(server.forms).toHaveLength(1);
      }),
    ));

  it("reports secret_missing without a caller", () =>
    play({}, ({ store, server }) =>
      Effect.gen(function* () {
        const error = yield* Effect.flip(store.token("calendar"));
        expect(error).toMatchObject({ code: "secret_missing", failure: { ran: false, retryable: false } });
        expect(error.message).toContain("this code has no caller");
        expect(server.connections()).toBe(0);
      }),
    ));

  it("is the delegating user, and a caller cannot name another user than its delegator", () =>
    play({}, ({ store, kept, errorOf }) =>
      Effect.gen(function* () {
        const delegated: Principal = { agent: "sub", within: { agent: "helper", within: ada } };
        // A delegate is not the agent of the same name that calls for itself.
        kept.set(storedKeyOf({ ...ada, agent: "sub" }), { accessToken: "canary-own", issuedAt: 0 });
        const agents = JSON.stringify(["sub", "helper"]);
        kept.set(storedKeyOf({ ...ada, agent: agents }), { accessToken: "canary-sub", issuedAt: 0 });
        expect(Redacted.value(yield* store.token("calendar", delegated))).toBe("canary-sub");
        const swapped = yield* errorOf({ ...bob, within: ada });
        expect(swapped.message).toContain("only to its own caller");
      }),
    ));
});
