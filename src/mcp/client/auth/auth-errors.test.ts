import { describe, expect, it, onTestFinished, vi } from "vitest";
import { useMcpOAuth } from "../../../../test/kit/mcp-oauth-scene.ts";

const { world, open, call } = useMcpOAuth();

const exchanged = (): number => world().forms.length;

describe("authorization stops before the code exchange", () => {
  it("when the response names another issuer", async () => {
    world().behavior.iss = { text: "https://attacker.example" };
    await expect(call(open())).rejects.toMatchObject({
      code: "sign_in_required",
      message: expect.stringContaining("answered by another issuer"),
    });
    expect(exchanged()).toBe(0);
  });

  it("when the issuer differs by a trailing slash", async () => {
    world().behavior.iss = { text: `${world().issuer}/` };
    await expect(call(open())).rejects.toMatchObject({ code: "sign_in_required" });
    expect(exchanged()).toBe(0);
  });

  it("when the response names no issuer although the service always does", async () => {
    world().behavior.iss = "none";
    await expect(call(open())).rejects.toMatchObject({ code: "sign_in_required" });
    expect(exchanged()).toBe(0);
  });

  it("when the response has another state, which is ignored", async () => {
    world().behavior.state = { text: "guessed" };
    const pages: string[] = [];
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    const authorizations = open({
      signInTimeoutMs: 1_500,
      onSignIn: async (_server, url) => {
        pages.push(await world().visit(url));
        vi.advanceTimersByTime(1_500);
      },
    });
    await expect(call(authorizations)).rejects.toMatchObject({
      code: "sign_in_required",
      message: expect.stringContaining("was not completed"),
    });
    expect(pages).toEqual(["No sign-in is waiting for this response."]);
    expect(exchanged()).toBe(0);
  });

  it("when the user declines", async () => {
    world().behavior.declines = true;
    await expect(call(open())).rejects.toMatchObject({ message: expect.stringContaining("was declined") });
    expect(exchanged()).toBe(0);
  });
});

describe("authorization stops before the user is redirected", () => {
  const refused = async (message: RegExp, oauth = {}): Promise<void> => {
    await expect(call(open(), { oauth })).rejects.toThrowError(message);
    expect(world().authorized).toHaveLength(0);
    expect(exchanged()).toBe(0);
  };

  it("when the service does not support PKCE with S256", async () => {
    world().behavior.pkce = undefined;
    await refused(/without PKCE/);
    world().behavior.pkce = ["plain"];
    await refused(/without PKCE/);
  });

  it.each([
    "javascript:alert(1)",
    "file:///etc/passwd",
    "data:text/html,x",
    "http://other.example/authorize",
  ])("when the authorization page is %s", async (page) => {
    world().behavior.metadata = { authorization_endpoint: page };
    await refused(/MCP server "files"/);
  });

  it("when the metadata names another issuer than the server", async () => {
    world().behavior.metadata = { issuer: "https://attacker.example" };
    await refused(/names another issuer/);
  });

  it("when the server names metadata of another resource", async () => {
    world().behavior.resource = { resource: "https://bank.example/mcp" };
    await refused(/metadata of another resource/);
  });

  it("when the server names another issuer than the configured one", async () => {
    await refused(/its configured issuer/, { issuer: "https://sso.example" });
  });

  it("when the metadata is invalid, and the error does not quote it", async () => {
    world().behavior.metadata = { token_endpoint: 5 };
    await refused(/could not be read/);
  });
});

describe("client secret", () => {
  it("is sent only to a service that the operator configured", async () => {
    const oauth = {
      grant: "client_credentials",
      clientId: "job",
      clientSecret: "canary-secret",
      issuer: "https://sso.example",
    } as const;
    await expect(call(open(), { oauth })).rejects.toThrowError(/issuer/);
    expect(exchanged()).toBe(0);
  });
});

describe("servers of the March 2025 specification", () => {
  it("may have an issuer on their own origin", async () => {
    world().behavior.hasResourceMetadata = false;
    expect(await call(open())).toMatchObject({ status: 200, body: { user: "ada" } });
    expect(world().authorized[0]?.has("resource")).toBe(false);
  });

  it.each(["issuer", "authorization_endpoint", "token_endpoint"])(
    "cannot point to another origin with %s",
    async (field) => {
      const { behavior, issuer } = world();
      behavior.hasResourceMetadata = false;
      behavior.metadata = { [field]: `${issuer}/elsewhere` };
      await expect(call(open())).rejects.toThrowError(/names another issuer/);
      expect(world().authorized).toHaveLength(0);
    },
  );

  it("are distinguished from servers with invalid resource metadata", async () => {
    world().behavior.resource = { authorization_servers: 5 };
    await expect(call(open())).rejects.toThrowError(/protected-resource metadata/);
  });
});
