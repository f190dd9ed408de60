import { describe, expect, it } from "vitest";
import { oauthAda, oauthBob, useMcpOAuth } from "../../../../test/kit/mcp-oauth-scene.ts";
import { knownSecrets } from "../../../base/credentials/known-secrets.ts";

const { world, open, call, named } = useMcpOAuth();

describe("signing in to an MCP server", () => {
  it("ends with a token that the server takes, asked for with PKCE, state and the server as resource", async () => {
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

  it("is done once for calls that are made together", async () => {
    const house = open();
    const answers = await Promise.all([call(house), call(house), call(house)]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(world().authorized).toHaveLength(1);
  });

  it("gives each caller a token of its own, which no other caller is sent with", async () => {
    const house = open();
    expect((await call(house)).body.user).toBe("ada");
    world().behavior.user = "bob";
    expect((await call(house, { principal: oauthBob })).body.user).toBe("bob");
    expect((await call(house)).body.user).toBe("ada");
    expect(world().authorized).toHaveLength(2);
    expect(new Set(world().shown).size).toBe(2);
  });

  it("is not shared by other server ids, tenants and agents, nor by the house itself", async () => {
    const house = open();
    const others = [
      {},
      { id: "mail" },
      { principal: { ...oauthAda, tenant: "acme" } },
      { principal: { agent: "other", user: "ada" } },
      { principal: "house" as const },
    ];
    for (const other of others) await call(house, other);
    expect(world().authorized).toHaveLength(5);
  });

  it("is shared by the sessions of one caller, and lent together with its right", async () => {
    const house = open();
    await call(house, { principal: { ...oauthAda, session: "one" } });
    await call(house, { principal: { ...oauthAda, session: "two" } });
    await call(house, { principal: { agent: "helper", within: oauthAda } });
    expect(world().authorized).toHaveLength(1);
  });

  it("has no token for a caller that names another user than its lender", () => {
    expect(() => open().authorize(named(), { ...oauthBob, within: oauthAda })).toThrowError(
      /another user or tenant/,
    );
  });

  it("makes every token, verifier and secret known before it is used", async () => {
    const known = knownSecrets([]);
    await call(open({ known }));
    expect(known.all()).toContain(world().shown[0]);
    expect(known.all().some((secret) => secret.startsWith("refresh-"))).toBe(true);
  });

  it("is left alone where the configuration says so, or sends a header of its own", () => {
    const house = open();
    expect(house.authorize({ ...named(), oauth: false }, oauthAda)).toBeUndefined();
    expect(house.authorize({ ...named(), headers: { Authorization: "x" } }, oauthAda)).toBeUndefined();
  });

  it("uses the client of the operator, and comes back to the path that client is known by", async () => {
    await call(open(), { oauth: { clientId: "by-hand", redirectUrl: "http://localhost/back" } });
    expect(world().registered).toHaveLength(0);
    expect(world().authorized[0]?.get("client_id")).toBe("by-hand");
    expect(world().authorized[0]?.get("redirect_uri")).toMatch(/^http:\/\/localhost:\d+\/back$/);
  });

  it("uses a document of ours as client where the service takes such documents", async () => {
    world().behavior.metadata = { client_id_metadata_document_supported: true };
    const oauth = { clientMetadataUrl: "https://haft.example/client.json" };
    expect(await call(open(), { oauth })).toMatchObject({ status: 200 });
    expect(world().registered).toHaveLength(0);
    expect(world().authorized[0]?.get("client_id")).toBe("https://haft.example/client.json");
    expect(world().authorized[0]?.get("redirect_uri")).toMatch(/\/callback$/);
  });

  it("says what to do where the service registers nobody", async () => {
    world().behavior.registers = false;
    await expect(call(open())).rejects.toMatchObject({ message: expect.stringContaining("oauth.clientId") });
  });

  it("gives machines tokens without a person", async () => {
    const oauth = { grant: "client_credentials", clientId: "job", clientSecret: "canary-secret" } as const;
    expect(await call(open(), { oauth })).toMatchObject({ status: 200, body: { user: "machine" } });
    expect(world().authorized).toHaveLength(0);
  });
});

describe("a server that moves to another authorization service", () => {
  it("is signed in to again, and the new service sees nothing of the old one", async () => {
    const house = open();
    await call(house);
    const { startMcpOAuthService: mcpOAuthWorld } = await import("../../../../test/kit/mcp-oauth-service.ts");
    const other = await mcpOAuthWorld();
    try {
      world().behavior.resource = { authorization_servers: [other.issuer] };
      world().revokeAll();
      // The endpoint knows no token of the other service, so the call itself is refused in the end.
      expect((await call(house)).status).toBe(401);
      expect(other.registered).toHaveLength(1);
      expect(other.forms.map((form) => form.get("grant_type"))).toEqual(["authorization_code"]);
      expect(world().forms.map((form) => form.get("grant_type"))).toEqual(["authorization_code"]);
    } finally {
      await other.close();
    }
  });
});
