import * as Effect from "effect/Effect";
import { describe, expect, it } from "vitest";
import { checkCredentials, credentials } from "../credentials.ts";

const right = {
  grant: "authorization_code",
  clientId: "id",
  redirectUrl: "https://app.example/callback",
  issuer: "https://login.example",
};

const wrong: readonly [string, Record<string, unknown>, string][] = [
  [
    "an unknown grant",
    { grant: "password" },
    "calendar.grant must be one of client_credentials, refresh_token",
  ],
  ["a grant of the prototype", { grant: "toString" }, "calendar.grant must be one of"],
  ["an unknown field", { secret: "x" }, "has a field `secret`, which means nothing here"],
  ["no client", { clientId: "" }, "clientId must be the id"],
  ["a client secret that is no name", { clientSecret: 7 }, "clientSecret must be the name of a secret"],
  ["another client auth", { clientAuth: "jwt" }, 'clientAuth must be "basic" or "form"'],
  ["scopes in one text", { scopes: "a b" }, "scopes must be a list of scopes without spaces"],
  ["a scope with a space", { scopes: ["a b"] }, "scopes must be a list of scopes without spaces"],
  ["a resource with a fragment", { resource: "https://a.example/#b" }, "without a fragment"],
  ["no place to ask", { issuer: undefined }, "tokenUrl or issuer must be given"],
  ["no place to sign in", { issuer: undefined, tokenUrl: "https://a.example" }, "authorizationUrl or issuer"],
  ["no way back", { redirectUrl: undefined }, "redirectUrl must be given"],
  ["a script to sign in at", { authorizationUrl: "javascript:alert(1)" }, "authorizationUrl is not https:"],
  [
    "a plain token endpoint",
    { tokenUrl: "http://a.example/t" },
    "tokenUrl is http: to another machine; use https:",
  ],
  ["a name that looks like loopback", { tokenUrl: "http://127.0.0.1.evil.example/" }, "use https:"],
  ["a password in a URL", { tokenUrl: "https://a:b@a.example/" }, "carries a user name or a password"],
  ["a way back with a fragment", { redirectUrl: "https://app.example/#x" }, "redirectUrl has a fragment"],
];

const failing = (options: unknown) => Effect.runPromise(Effect.flip(checkCredentials(options as never)));

describe("a configuration", () => {
  it.each(wrong)("with %s is refused by name", async (_, change, message) => {
    const entries = Object.entries({ ...right, ...change }).filter(([, value]) => value !== undefined);
    const calendar = Object.fromEntries(entries);
    const error = await failing({ oauth: { calendar } });
    expect(error).toMatchObject({ code: "invalid_config", _tag: "ConfigurationError" });
    expect(error.message).toContain(message);
  });

  it.each([
    ["no object", { oauth: [] }, "credentials.oauth must be an object"],
    [
      "a client's own right without a secret",
      { oauth: { a: { grant: "client_credentials", clientId: "i", tokenUrl: "https://a.example" } } },
      "without one anybody could ask",
    ],
    [
      "a refresh token in the open",
      {
        oauth: {
          a: { grant: "refresh_token", clientId: "i", tokenUrl: "https://a.example", refreshToken: "text" },
        },
      },
      "refreshToken must be a function",
    ],
    ["an unknown source", [{ vault: 1 }], "credentials[0] has a field `vault`"],
    ["a command in one line", { command: "pass show" }, "credentials.command must be an object"],
    [
      "a command without a program",
      { command: { argv: "pass" } },
      "credentials.command.argv must name a program",
    ],
    ["a source that is none", { sources: [7] }, "credentials.sources[0] must be an object"],
    [
      "a store that keeps nothing",
      { oauth: {}, tokens: { get: () => 1 } },
      "credentials.tokens must be a directory",
    ],
    ["OAuth in a source", [{ oauth: {} }], "credentials[0] has a field `oauth`"],
  ])("with %s is refused by name", async (_, options, message) => {
    expect((await failing(options)).message).toContain(message);
  });

  it.each([
    [{ values: { a: "b" } }],
    [{ env: "KEY_", file: "/run/secrets", command: { argv: { a: ["b"] } }, sources: [() => "x"] }],
    [{ oauth: { calendar: right }, tokens: undefined }],
    [
      {
        oauth: { calendar: { ...right, tokenUrl: "http://[::1]:8/t", redirectUrl: "http://localhost:3/cb" } },
      },
    ],
  ])("%j is fine", async (options) => {
    await Effect.runPromise(checkCredentials(options as never));
  });

  it("that nobody checked is refused at its first use, in the same words", async () => {
    const store = credentials({ oauth: { calendar: { ...right, clientId: "" } } } as never);
    const error = await Effect.runPromise(Effect.flip(store.token("calendar", { agent: "a" })));
    expect(error.message).toContain("clientId must be the id");
  });
});
