import { inspect } from "node:util";
import * as Effect from "effect/Effect";
import * as Redacted from "effect/Redacted";
import { afterEach, describe, expect, it, vi } from "vitest";
import type { CredentialsError } from "../../types/errors.ts";
import { type CredentialStore, credentials } from "./credentials.ts";
import type { SecretLookup } from "./secret-source.ts";

const canary = "canary-7f3a";

const handedOut = (store: CredentialStore, name: string): Promise<string> =>
  Effect.runPromise(Effect.map(store.secret(name), Redacted.value));

const errorOf = (store: CredentialStore, name: string): Promise<CredentialsError> =>
  Effect.runPromise(Effect.flip(store.secret(name)));

afterEach(() => {
  vi.unstubAllEnvs();
});

describe("secret lookup", () => {
  it("reads configured values, plain or redacted", async () => {
    const store = credentials({ values: { weather: canary, mail: Redacted.make("mail-key") } });
    expect(await handedOut(store, "weather")).toBe(canary);
    expect(await handedOut(store, "mail")).toBe("mail-key");
  });

  it("reads the environment variable mapped to the secret", async () => {
    vi.stubEnv("WEATHER_KEY", canary);
    expect(await handedOut(credentials({ env: { WEATHER_KEY: "weather" } }), "weather")).toBe(canary);
  });

  it("reads an environment variable with the configured prefix", async () => {
    vi.stubEnv("HAFT_SECRET_MY_API", canary);
    expect(await handedOut(credentials({ env: "HAFT_SECRET_" }), "my-api")).toBe(canary);
  });

  it("prefers configured values to the environment", async () => {
    vi.stubEnv("KEY_A", "from-env-a");
    vi.stubEnv("KEY_B", "from-env-b");
    const store = credentials({ values: { a: "from-values" }, env: "KEY_" });
    expect(await handedOut(store, "a")).toBe("from-values");
    expect(await handedOut(store, "b")).toBe("from-env-b");
  });

  it.each<[string, SecretLookup]>([
    ["a value", () => canary],
    ["a promise", async () => canary],
    ["an Effect", () => Effect.succeed(canary)],
    ["a redacted value", () => Redacted.make(canary)],
  ])("reads a secret from a function that returns %s", async (_, source) => {
    expect(await handedOut(credentials(source), "weather")).toBe(canary);
  });

  it("calls the function on every use and remembers every result as a known secret", async () => {
    let turn = 0;
    const store = credentials(() => `rotated-${++turn}`);
    await handedOut(store, "token");
    await handedOut(store, "token");
    expect([...store.known()]).toEqual(["rotated-1", "rotated-2"]);
  });

  it("knows configured values from the start and function results after the first use", async () => {
    expect([...credentials({ values: { used: canary } }).known()]).toEqual([canary]);
    const asked = credentials(() => canary);
    expect([...asked.known()]).toEqual([]);
    await handedOut(asked, "used");
    expect([...asked.known()]).toEqual([canary]);
  });

  it("keeps the value out of every printed form", async () => {
    const secret = await Effect.runPromise(credentials({ values: { weather: canary } }).secret("weather"));
    expect(
      `${secret} ${JSON.stringify({ secret })} ${inspect(secret, { depth: 9, showHidden: true })}`,
    ).not.toContain(canary);
    expect(String(secret)).toBe("<redacted:weather>");
  });
});

describe("missing secret", () => {
  it.each([
    [{}, "no source"],
    [{ values: {} }, "the configured values"],
    [{ values: { weather: " " } }, "the configured values"],
    [{ env: "KEY_" }, "KEY_WEATHER"],
    [{ env: { OTHER: "other" } }, "env (does not map it)"],
    [
      { values: {}, env: { WEATHER_KEY: "weather" } },
      "the configured values and in the environment variable WEATHER_KEY",
    ],
  ])("reports the secret name and the sources that were searched: %j", async (source, place) => {
    const error = await errorOf(credentials(source), "weather");
    expect(error).toMatchObject({ code: "secret_missing", _tag: "CredentialsError", retryable: false });
    expect(error.message).toContain('"weather"');
    expect(error.message).toContain(place);
  });

  it.each(["__proto__", "constructor", "toString"])("does not read %s from the prototype", async (name) => {
    expect(await errorOf(credentials({ values: {} }), name)).toMatchObject({ code: "secret_missing" });
  });

  it.each<[string, SecretLookup]>([
    [
      "throws an error",
      () => {
        throw new Error(`no luck with ${canary}`);
      },
    ],
    [
      "rejects",
      () => Promise.reject(Object.assign(new Error("vault is sealed"), { headers: { token: canary } })),
    ],
    ["returns a failed Effect", () => Effect.fail(new Error("vault is sealed"))],
  ])("reports secret_missing without a value when the lookup function %s", async (_, source) => {
    let asked = 0;
    const store = credentials((name) => (asked++ === 0 ? canary : source(name)));
    await handedOut(store, "weather");
    const error = await errorOf(store, "weather");
    expect(error.code).toBe("secret_missing");
    expect(error.failure.detail).toMatch(/no luck|sealed/);
    expect(inspect(error, { depth: 9 }) + JSON.stringify(error.failure)).not.toContain(canary);
  });
});
