import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { type JWTPayload, SignJWT, UnsecuredJWT } from "jose";
import { afterEach, describe, expect, onTestFinished, test, vi } from "vitest";
import {
  bearer,
  errorCodeOf,
  type HostScene,
  hostScene,
  sendRawRequest,
} from "../../../../test/kit/host-scene.ts";
import {
  audience,
  createTokenSigner,
  issuer,
  jwtAuthOf,
  type TokenSigner,
  toKeySet,
} from "../../../../test/kit/jwt-scene.ts";
import type { JwtAuth } from "./host-auth.ts";
import { openJwtAuthenticator } from "./jwt.ts";

const one = await createTokenSigner();
const seconds = () => Math.floor(Date.now() / 1000);
const scene = (more: Partial<JwtAuth> = {}) => hostScene({ auth: jwtAuthOf(toKeySet(one), more) });
const show = (host: HostScene, token: string) => sendRawRequest(host, { headers: bearer(token) });

afterEach(() => void vi.useRealTimers());

describe("access token", () => {
  test("identifies the caller when its issuer and audience are right", async () => {
    const host = await scene();
    expect((await show(host, await one.sign({ scope: "mail.read" }, { typ: "at+jwt" }))).status).toBe(200);
    expect(host.seen[0]!.principal).toEqual({
      agent: "editor",
      user: "ada",
      allow: ["mail/get_*", "mail/list"],
    });
    expect(host.lines[0]!.agent).toBe("editor");
  });

  test("is refused with 401 for another audience", async () => {
    const host = await scene();
    for (const aud of [
      "https://other.example.com/mcp",
      "https://mcp.example.com",
      [`${audience}/`],
      undefined,
    ]) {
      const answered = await show(host, await one.sign({ aud }));
      expect(answered.status).toBe(401);
      expect(answered.headers["www-authenticate"]).toContain('error="invalid_token"');
    }
    expect(host.seen).toHaveLength(0);
  });

  test("is accepted for several audiences that include this one", async () => {
    const host = await scene();
    expect((await show(host, await one.sign({ aud: ["https://x.example", audience] }))).status).toBe(200);
  });

  const now = seconds();
  test.each<[string, () => Promise<string>, string]>([
    ["expired", () => one.sign({ exp: now - 1 }), "expired"],
    ["not yet valid", () => one.sign({ nbf: now + 600 }), "not valid yet"],
    ["without expiry", () => one.sign({ exp: undefined }), "A required claim"],
    ["of another issuer", () => one.sign({ iss: "https://evil.example.com" }), "does not trust"],
    ["of an issuer with a trailing slash", () => one.sign({ iss: `${issuer}/` }), "does not trust"],
    ["signed with another key", async () => (await createTokenSigner("one")).sign(), "cannot be verified"],
    [
      "with an unknown kid",
      async () => (await createTokenSigner("two")).sign(),
      "not in the issuer's key set",
    ],
    ["an ID token by its type", () => one.sign({}, { typ: "id+jwt" }), "not an access token"],
    [
      "without a subject and a client",
      () => one.sign({ sub: undefined, client_id: undefined }),
      "none of the claims",
    ],
    ["with a user and no client", () => one.sign({ sub: "ada", client_id: undefined }), "auth.claims"],
    ["with a client that is not text", () => one.sign({ client_id: { a: 1 } }), "client_id must be a string"],
    ["with line breaks in its client", () => one.sign({ client_id: "a\nb" }), "client_id must be a string"],
    [
      "not signed",
      async () =>
        new UnsecuredJWT({ sub: "ada" })
          .setIssuer(issuer)
          .setAudience(audience)
          .setExpirationTime("1m")
          .encode(),
      "does not accept",
    ],
    [
      "signed with the public key as a secret",
      () =>
        new SignJWT({ sub: "ada", iss: issuer, aud: audience, exp: now + 600 })
          .setProtectedHeader({ alg: "HS256", kid: "one" })
          .sign(new TextEncoder().encode(JSON.stringify(one.jwk))),
      "does not accept",
    ],
    ["not a token", async () => "a.b.c", "cannot be verified"],
    [
      "with a changed payload",
      async () => (await one.sign()).replace(/\.[^.]+\./, (part) => part.replace(/.{3}\.$/, "AAA.")),
      "The token",
    ],
  ])("is refused when it is %s", async (_, make, reason) => {
    const host = await scene();
    const token = await make();
    const answered = await show(host, token);
    expect(answered.status).toBe(401);
    const { message } = answered.body.error as { readonly message: string };
    expect(message).toContain(reason);
    expect(answered.headers["www-authenticate"]).toBe(
      `Bearer resource_metadata="https://mcp.example.com/.well-known/oauth-protected-resource/mcp", error="invalid_token", error_description="${message}"`,
    );
    expect(answered.text).not.toContain("evil");
    expect(host.seen).toHaveLength(0);
  });

  test("expires by the clock of the host, with the given tolerance", async () => {
    let at = Date.now();
    const host = await hostScene({
      auth: jwtAuthOf(toKeySet(one), { clockToleranceSec: 10 }),
      now: () => at,
    });
    const token = await one.sign();
    at += 65_000;
    expect((await show(host, token)).status).toBe(200);
    at += 10_000;
    expect((await show(host, token)).status).toBe(401);
  });
});

describe("scopes and claims", () => {
  const principalOf = async (claims: JWTPayload, more: Partial<JwtAuth> = {}) => {
    const host = await scene(more);
    expect((await show(host, await one.sign(claims))).status).toBe(200);
    return host.seen[0]!.principal;
  };

  test("allow the tools of all scopes together, and none without scopes", async () => {
    expect((await principalOf({ scope: "mail.read admin other" })).allow).toEqual([
      "mail/get_*",
      "mail/list",
      "**",
    ]);
    expect((await principalOf({ scp: ["admin"] })).allow).toEqual(["**"]);
    expect((await principalOf({ scope: "constructor __proto__ toString" })).allow).toEqual([]);
    expect((await principalOf({ scope: ["a", { b: 1 }] })).allow).toEqual([]);
    expect((await principalOf({})).allow).toEqual([]);
  });

  test("are refused with 403 and the required scopes when a scope is missing", async () => {
    const host = await scene({ requiredScopes: ["mcp", "mail.read"] });
    const answered = await show(host, await one.sign({ scope: "mcp" }));
    expect([answered.status, errorCodeOf(answered)]).toEqual([403, "insufficient_scope"]);
    expect(answered.headers["www-authenticate"]).toBe(
      'Bearer resource_metadata="https://mcp.example.com/.well-known/oauth-protected-resource/mcp", error="insufficient_scope", error_description="The token lacks a scope. Get one with mcp mail.read.", scope="mcp mail.read"',
    );
    expect(host.seen).toHaveLength(0);
    expect((await show(host, await one.sign({ scope: "mail.read mcp" }))).status).toBe(200);
  });

  test("set tenant and roles from the configured claims, including nested ones", async () => {
    const claims = {
      tenant: "https://example.com/tenant",
      roles: "realm_access.roles",
      agent: ["azp"],
      user: null,
    };
    const token = {
      azp: "bot",
      "https://example.com/tenant": "acme",
      realm_access: { roles: ["reader", 7, "writer"] },
    };
    expect(await principalOf(token, { claims })).toEqual({
      agent: "bot",
      tenant: "acme",
      roles: ["reader", "writer"],
      allow: [],
    });
  });

  test("are refused without a tenant when a tenant claim is configured", async () => {
    const host = await scene({ claims: { tenant: "org" } });
    expect((await show(host, await one.sign())).status).toBe(401);
    expect((await show(host, await one.sign({ org: "acme" }))).status).toBe(200);
  });
});

describe("keys over HTTP", () => {
  /** A server with the keys of the test that counts its requests. */
  const keyServer = async () => {
    const state = { signers: [one] as readonly TokenSigner[], status: 200, asked: 0, seen: [] as unknown[] };
    const server = createServer((request, response) => {
      state.asked += 1;
      state.seen.push(request.headers.authorization);
      response.writeHead(state.status).end(JSON.stringify(toKeySet(...state.signers)));
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => {
      server.closeAllConnections();
      server.close();
    });
    const place = `127.0.0.1:${(server.address() as AddressInfo).port}`;
    return { state, auth: jwtAuthOf(`http://${place}/keys`, { allow: [place] }) };
  };

  test("are fetched once, and again for a new key id, but not for each unknown token", async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    const { state, auth } = await keyServer();
    const host = await hostScene({ auth });
    const two = await createTokenSigner("two");
    for (let count = 0; count < 3; count++) expect((await show(host, await one.sign())).status).toBe(200);
    expect(state.asked).toBe(1);
    for (let count = 0; count < 5; count++) expect((await show(host, await two.sign())).status).toBe(401);
    expect(state.asked).toBe(1);
    state.signers = [two];
    vi.setSystemTime(Date.now() + 31_000);
    expect((await show(host, await two.sign())).status).toBe(200);
    expect(state.asked).toBe(2);
    expect((await show(host, await one.sign({ jti: "new" }))).status).toBe(401);
    expect(state.seen).toEqual([undefined, undefined]);
  });

  test("cause 503 without a failure of the caller when they are unavailable, and are not requested for a while", async () => {
    const { state, auth } = await keyServer();
    state.status = 500;
    let at = Date.now();
    const host = await hostScene({ auth, now: () => at, rate: { failureBurst: 1, failuresPerMinute: 1 } });
    for (let count = 0; count < 4; count++) {
      const answered = await show(host, await one.sign());
      expect([answered.status, errorCodeOf(answered), answered.headers["retry-after"]]).toEqual([
        503,
        "keys_unavailable",
        "5",
      ]);
    }
    expect(state.asked).toBe(1);
    state.status = 200;
    at += 5_001;
    expect((await show(host, await one.sign())).status).toBe(200);
    expect(host.seen).toHaveLength(1);
  });

  test("are not fetched from a private network unless the operator allows it", async () => {
    const { state, auth } = await keyServer();
    const host = await hostScene({ auth: { ...auth, allow: [] } });
    expect((await show(host, await one.sign())).status).toBe(503);
    expect(state.asked).toBe(0);
  });
});

test("caches a verified token for a minute, but not beyond its expiry", async () => {
  let at = Date.now();
  const verifications: string[] = [];
  const keys = toKeySet(one);
  const host = await hostScene({ auth: jwtAuthOf(keys, { scopes: { admin: ["**"] } }), now: () => at });
  const token = await one.sign({ exp: Math.floor(at / 1000) + 90, scope: "admin" });
  for (const step of [0, 30_000, 31_000]) {
    at += step;
    verifications.push(String((await show(host, token)).status));
  }
  at += 30_000;
  verifications.push(String((await show(host, token)).status));
  expect(verifications).toEqual(["200", "200", "200", "401"]);
  expect(new Set(host.seen.map(({ principal }) => principal)).size).toBe(2);
});

describe("JWT options", () => {
  test.each<[Partial<JwtAuth>, string]>([
    [{ algorithms: ["none"] }, "/auth/algorithms"],
    [{ algorithms: ["RS256", "HS256"] }, "/auth/algorithms"],
    [{ algorithms: [] }, "/auth/algorithms"],
    [{ audience: "" }, "/auth/audience"],
    [{ audience: "http://mcp.example.com/mcp" }, "/auth/audience"],
    [{ audience: undefined as never }, "/auth/audience"],
    [{ issuer: "login" }, "/auth/issuer"],
    [{ jwks: "http://login.example.com/keys" }, "/auth/jwks"],
    [{ jwks: "file:///etc/passwd" }, "/auth/jwks"],
    [{ jwks: { keys: [] } }, "/auth/jwks"],
    [{ jwks: { keys: [{ kty: "oct", k: "c2VjcmV0" }] } }, "symmetric"],
    [{ jwks: { keys: [{ ...one.jwk, d: "c2VjcmV0" }] } }, "private key"],
    [{ scopes: { "a b": [] } }, "/auth/scopes"],
    [{ scopes: { a: ["x y"] } }, "/auth/scopes/a"],
    [{ clockToleranceSec: 1e9 }, "/auth/clockToleranceSec"],
  ])("are refused when the host opens with %j", async (more, message) => {
    await expect(openJwtAuthenticator(jwtAuthOf(toKeySet(one), more), Date.now)).rejects.toThrow(message);
    await expect(openJwtAuthenticator(jwtAuthOf(toKeySet(one), more), Date.now)).rejects.not.toThrow(
      "c2VjcmV0",
    );
  });
});

describe("metadata of the resource", () => {
  test.each(["", "/mcp"])("is available under the well-known name%s", async (path) => {
    const host = await scene({ requiredScopes: ["mcp"] });
    const answered = await sendRawRequest(host, {
      method: "GET",
      path: `/.well-known/oauth-protected-resource${path}`,
    });
    expect(answered.status).toBe(200);
    expect(answered.headers["content-type"]).toBe("application/json");
    expect(answered.body).toEqual({
      resource: "https://mcp.example.com/mcp",
      authorization_servers: ["https://login.example.com"],
      scopes_supported: ["mail.read", "admin", "mcp"],
      bearer_methods_supported: ["header"],
    });
  });

  test("is named in the challenge to a request without a token", async () => {
    const host = await scene({ audience: "https://mcp.example.com/team/mcp" });
    const answered = await sendRawRequest(host);
    const url = /^Bearer resource_metadata="([^"]+)"$/.exec(answered.headers["www-authenticate"]!)![1]!;
    expect(url).toBe("https://mcp.example.com/.well-known/oauth-protected-resource/team/mcp");
    const headers = { host: "mcp.example.com" };
    const found = await sendRawRequest(host, { method: "GET", path: new URL(url).pathname, headers });
    expect(found.body.resource).toBe("https://mcp.example.com/team/mcp");
  });
});
