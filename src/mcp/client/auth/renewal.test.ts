import { describe, expect, it } from "vitest";
import { useMcpOAuth } from "../../../../test/kit/mcp-oauth-scene.ts";
import { memoryTokenStore } from "../../../base/credentials/oauth/token-store.ts";

const { world, open, call, pass } = useMcpOAuth();

const grants = (): (string | null)[] => world().forms.map((form) => form.get("grant_type"));

describe("expired token", () => {
  it("is refreshed before the next call without the user", async () => {
    const authorizations = open();
    await call(authorizations);
    pass(3_590_000);
    expect(await call(authorizations)).toMatchObject({ status: 200 });
    expect(grants()).toEqual(["authorization_code", "refresh_token"]);
    expect(world().authorized).toHaveLength(1);
    expect(world().shown).toHaveLength(2);
  });

  it("is refreshed once for concurrent calls", async () => {
    const authorizations = open();
    await call(authorizations);
    pass(3_590_000);
    await Promise.all([call(authorizations), call(authorizations), call(authorizations)]);
    expect(grants()).toEqual(["authorization_code", "refresh_token"]);
  });

  it("is not sent when it cannot be refreshed, and the user signs in again", async () => {
    world().behavior.givesRefreshToken = false;
    const authorizations = open();
    await call(authorizations);
    pass(3_600_000);
    await call(authorizations);
    expect(world().authorized).toHaveLength(2);
    expect(new Set(world().shown).size).toBe(world().shown.length);
  });
});

describe("token that the server rejects", () => {
  it("is refreshed once for all processes that share the store", async () => {
    const store = memoryTokenStore();
    const [one, other] = [open({ store }), open({ store })];
    await call(one);
    expect(await call(other)).toMatchObject({ status: 200 });
    world().revokeAll();
    await call(one);
    await call(other);
    expect(grants()).toEqual(["authorization_code", "refresh_token"]);
  });

  it("starts one sign-in when the refresh fails too", async () => {
    const authorizations = open();
    await call(authorizations);
    pass(120_000);
    world().revokeAll();
    world().behavior.refusesRefresh = true;
    expect(await call(authorizations)).toMatchObject({ status: 200 });
    expect(grants()).toEqual(["authorization_code", "refresh_token", "authorization_code"]);
    expect(world().authorized).toHaveLength(2);
  });

  it("fails without a new sign-in when it was just issued", async () => {
    world().behavior.givesRefreshToken = false;
    const authorizations = open();
    await call(authorizations);
    world().revokeAll();
    await expect(call(authorizations)).rejects.toThrowError(/just issued/);
    expect(world().authorized).toHaveLength(1);
  });
});

describe("token with insufficient scope", () => {
  it("is replaced by one with all previous scopes and the new one", async () => {
    const authorizations = open();
    await call(authorizations);
    world().behavior.needs = "write";
    expect(await call(authorizations)).toEqual({ status: 200, body: { user: "ada", scope: "read write" } });
    expect(world().authorized.map((asked) => asked.get("scope"))).toEqual(["read", "read write"]);
  });

  it("is replaced once for concurrent calls", async () => {
    const authorizations = open();
    await call(authorizations);
    world().behavior.needs = "write";
    const answers = await Promise.all([call(authorizations), call(authorizations), call(authorizations)]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(world().authorized).toHaveLength(2);
  });

  it("is not requested again with a scope that was not granted before", async () => {
    const authorizations = open();
    await call(authorizations);
    world().behavior.needs = "write";
    world().behavior.grantsOnly = "read";
    expect(await call(authorizations)).toMatchObject({ status: 403 });
    expect(await call(authorizations)).toMatchObject({ status: 403 });
    expect(world().authorized).toHaveLength(2);
  });
});

describe("declined sign-in", () => {
  it("opens no page for an hour, and the error contains the sign-in URL", async () => {
    world().behavior.declines = true;
    const authorizations = open();
    await expect(call(authorizations)).rejects.toThrowError(/declined/);
    await expect(call(authorizations)).rejects.toThrowError(/must sign in at http/);
    expect(world().authorized).toHaveLength(1);
    world().behavior.declines = false;
    pass(3_600_000);
    expect(await call(authorizations)).toMatchObject({ status: 200 });
  });
});
