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
  ["a grant named after a prototype member", { grant: "toString" }, "calendar.grant must be one of"],
  ["an unknown field", { secret: "x" }, "has an unknown field `secret`"],
  ["no client", { clientId: "" }, "clientId must be the client id"],
  ["a client secret that is not a name", { clientSecret: 7 }, "clientSecret must be the name of a secret"],
  ["an unknown client authentication method", { clientAuth: "jwt" }, 'clientAuth must be "basic" or "form"'],
  ["scopes in one string", { scopes: "a b" }, "scopes must be a list of scopes without spaces"],
  ["a scope with a space", { scopes: ["a b"] }, "scopes must be a list of scopes without spaces"],
  ["a resource with a fragment", { resource: "https://a.example/#b" }, "without a fragment"],
  ["neither token URL nor issuer", { issuer: undefined }, "tokenUrl or issuer must be given"],
  [
    "neither authorization URL nor issuer",
    { issuer: undefined, tokenUrl: "https://a.example" },
    "authorizationUrl or issuer",
  ],
  ["no redirect URL", { redirectUrl: undefined }, "redirectUrl must be given"],
  [
    "a javascript: authorization URL",
    { authorizationUrl: "javascript:alert(1)" },
    "authorizationUrl is not https:",
  ],
  [
    "an http: token endpoint",
    { tokenUrl: "http://a.example/t" },
    "tokenUrl is http: to another machine; use https:",
  ],
  ["a host name that looks like loopback", { tokenUrl: "http://127.0.0.1.evil.example/" }, "use https:"],
  [
    "a user name and password in a URL",
    { tokenUrl: "https://a:b@a.example/" },
    "contains a user name or a password",
  ],
  ["a redirect URL with a fragment", { redirectUrl: "https://app.example/#x" }, "redirectUrl has a fragment"],
];

const failing = (options: unknown) => Effect.runPromise(Effect.flip(checkCredentials(options as never)));

describe("credentials configuration", () => {
  it.each(wrong)("rejects an OAuth credential with %s", async (_, change, message) => {
    const entries = Object.entries({ ...right, ...change }).filter(([, value]) => value !== undefined);
    const calendar = Object.fromEntries(entries);
    const error = await failing({ oauth: { calendar } });
    expect(error).toMatchObject({ code: "invalid_config", _tag: "ConfigurationError" });
    expect(error.message).toContain(message);
  });

  it.each([
    ["a list instead of an object", { oauth: [] }, "credentials.oauth must be an object"],
    [
      "client_credentials without a client secret",
      { oauth: { a: { grant: "client_credentials", clientId: "i", tokenUrl: "https://a.example" } } },
      "without it, any client could request",
    ],
    [
      "a refresh token in plain text",
      {
        oauth: {
          a: { grant: "refresh_token", clientId: "i", tokenUrl: "https://a.example", refreshToken: "text" },
        },
      },
      "refreshToken must be a function",
    ],
    ["an unknown source type", [{ vault: 1 }], "credentials[0] has an unknown field `vault`"],
    ["a command as one string", { command: "pass show" }, "credentials.command must be an object"],
    [
      "a command without a program",
      { command: { argv: "pass" } },
      "credentials.command.argv must be a program",
    ],
    ["a source that is a number", { sources: [7] }, "credentials.sources[0] must be an object"],
    [
      "a token store without its methods",
      { oauth: {}, tokens: { get: () => 1 } },
      "credentials.tokens must be a directory",
    ],
    ["OAuth settings in a source", [{ oauth: {} }], "credentials[0] has an unknown field `oauth`"],
  ])("rejects a configuration with %s", async (_, options, message) => {
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
  ])("accepts %j", async (options) => {
    await Effect.runPromise(checkCredentials(options as never));
  });

  it("reports an unchecked configuration error with the same message at first use", async () => {
    const store = credentials({ oauth: { calendar: { ...right, clientId: "" } } } as never);
    const error = await Effect.runPromise(Effect.flip(store.token("calendar", { agent: "a" })));
    expect(error.message).toContain("clientId must be the client id");
  });
});
