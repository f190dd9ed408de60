import { describe, expect, it } from "vitest";
import { oauthAda, oauthBob, useMcpOAuth } from "../../../../test/kit/mcp-oauth-scene.ts";
import { knownSecrets } from "../../../base/credentials/credentials.ts";

const { world, open, call, named } = useMcpOAuth();

describe("MCP authorization", () => {
  it("obtains a token with PKCE, state and the server as resource", async () => {
    expect(await call(open())).toEqual({ status: 200, body: { user: "ada", scope: "read" } });
    const asked = Object.fromEntries(world().authorized[0] ?? []);
    expect(asked).toMatchObject({
      response_type: "code",
      code_challenge_method: "S256",
      resource: world().url,
      scope: "read",
      client_id: "client-0",
    });
    expect(asked.state).toMatch(/^[\w-]{43}$/);
    expect(asked.redirect_uri).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/[\w-]{43}$/);
    expect(world().forms[0]?.get("resource")).toBe(world().url);
    expect(world().registered[0]).toMatchObject({
      token_endpoint_auth_method: "none",
      application_type: "native",
      grant_types: ["authorization_code", "refresh_token"],
    });
  });

  it("signs in once for concurrent calls", async () => {
    const authorizations = open();
    const answers = await Promise.all([call(authorizations), call(authorizations), call(authorizations)]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(world().authorized).toHaveLength(1);
  });

  it("gives each caller its own token", async () => {
    const authorizations = open();
    expect((await call(authorizations)).body.user).toBe("ada");
    world().behavior.user = "bob";
    expect((await call(authorizations, { principal: oauthBob })).body.user).toBe("bob");
    expect((await call(authorizations)).body.user).toBe("ada");
    expect(world().authorized).toHaveLength(2);
    expect(new Set(world().shown).size).toBe(2);
  });

  it("uses separate tokens for server ids, tenants, agents and the host itself", async () => {
    const authorizations = open();
    const others = [
      {},
      { id: "mail" },
      { principal: { ...oauthAda, tenant: "acme" } },
      { principal: { agent: "other", user: "ada" } },
      { principal: "house" as const },
    ];
    for (const other of others) await call(authorizations, other);
    expect(world().authorized).toHaveLength(5);
  });

  it("shares a token between the sessions and delegates of a caller", async () => {
    const authorizations = open();
    await call(authorizations, { principal: { ...oauthAda, session: "one" } });
    await call(authorizations, { principal: { ...oauthAda, session: "two" } });
    await call(authorizations, { principal: { agent: "helper", within: oauthAda } });
    expect(world().authorized).toHaveLength(1);
  });

  it("rejects a caller that names another user than its delegator", () => {
    expect(() => open().authorize(named(), { ...oauthBob, within: oauthAda })).toThrowError(
      /user or tenant differs/,
    );
  });

  it("registers tokens, verifiers and secrets as known secrets before use", async () => {
    const known = knownSecrets([]);
    await call(open({ known }));
    expect(known.all()).toContain(world().shown[0]);
    expect(known.all().some((secret) => secret.startsWith("refresh-"))).toBe(true);
  });

  it("is disabled by oauth: false or a configured authorization header", () => {
    const authorizations = open();
    expect(authorizations.authorize({ ...named(), oauth: false }, oauthAda)).toBeUndefined();
    expect(
      authorizations.authorize({ ...named(), headers: { Authorization: "x" } }, oauthAda),
    ).toBeUndefined();
  });

  it("uses the configured client and its redirect path", async () => {
    await call(open(), { oauth: { clientId: "by-hand", redirectUrl: "http://localhost/back" } });
    expect(world().registered).toHaveLength(0);
    expect(world().authorized[0]?.get("client_id")).toBe("by-hand");
    expect(world().authorized[0]?.get("redirect_uri")).toMatch(/^http:\/\/localhost:\d+\/back$/);
  });

  it("uses a client metadata document when the service supports it", async () => {
    world().behavior.metadata = { client_id_metadata_document_supported: true };
    const oauth = { clientMetadataUrl: "https://haft.example/client.json" };
    expect(await call(open(), { oauth })).toMatchObject({ status: 200 });
    expect(world().registered).toHaveLength(0);
    expect(world().authorized[0]?.get("client_id")).toBe("https://haft.example/client.json");
    expect(world().authorized[0]?.get("redirect_uri")).toMatch(/\/callback$/);
  });

  it("explains what to configure when the service does not register clients", async () => {
    world().behavior.registers = false;
    await expect(call(open())).rejects.toMatchObject({ message: expect.stringContaining("oauth.clientId") });
  });

  it("obtains client_credentials tokens without a user", async () => {
    const oauth = { grant: "client_credentials", clientId: "job", clientSecret: "canary-secret" } as const;
    expect(await call(open(), { oauth })).toMatchObject({ status: 200, body: { user: "machine" } });
    expect(world().authorized).toHaveLength(0);
  });
});

describe("server that changes its authorization service", () => {
  it("signs in again, and the new service receives no tokens of the old one", async () => {
    const authorizations = open();
    await call(authorizations);
    const { startMcpOAuthService: mcpOAuthWorld } = await import("../../../../test/kit/mcp-oauth-service.ts");
    const other = await mcpOAuthWorld();
    try {
      world().behavior.resource = { authorization_servers: [other.issuer] };
      world().revokeAll();
      // The endpoint does not accept tokens of the other service, so the call fails in the end.
      expect((await call(authorizations)).status).toBe(401);
      expect(other.registered).toHaveLength(1);
      expect(other.forms.map((form) => form.get("grant_type"))).toEqual(["authorization_code"]);
      expect(world().forms.map((form) => form.get("grant_type"))).toEqual(["authorization_code"]);
    } finally {
      await other.close();
    }
  });
});
