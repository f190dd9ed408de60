import { describe, expect, it } from "vitest";
import { useMcpOAuth } from "../../../../test/kit/mcp-oauth-scene.ts";
import { memoryMcpTokens } from "./token-store.ts";

const { world, open, call, pass } = useMcpOAuth();

const grants = (): (string | null)[] => world().forms.map((form) => form.get("grant_type"));

describe("a token that is over", () => {
  it("is renewed before it is sent again, without a person", async () => {
    const house = open();
    await call(house);
    pass(3_590_000);
    expect(await call(house)).toMatchObject({ status: 200 });
    expect(grants()).toEqual(["authorization_code", "refresh_token"]);
    expect(world().authorized).toHaveLength(1);
    expect(world().shown).toHaveLength(2);
  });

  it("is renewed once for calls that are made together", async () => {
    const house = open();
    await call(house);
    pass(3_590_000);
    await Promise.all([call(house), call(house), call(house)]);
    expect(grants()).toEqual(["authorization_code", "refresh_token"]);
  });

  it("is never sent where it cannot be renewed: the person is asked", async () => {
    world().behavior.givesRefreshToken = false;
    const house = open();
    await call(house);
    pass(3_600_000);
    await call(house);
    expect(world().authorized).toHaveLength(2);
    expect(new Set(world().shown).size).toBe(world().shown.length);
  });
});

describe("a token that the server refuses", () => {
  it("is renewed, and renewed by one process for all that share the store", async () => {
    const store = memoryMcpTokens();
    const [one, other] = [open({ store }), open({ store })];
    await call(one);
    expect(await call(other)).toMatchObject({ status: 200 });
    world().revokeAll();
    await call(one);
    await call(other);
    expect(grants()).toEqual(["authorization_code", "refresh_token"]);
  });

  it("leads to the person, once, where the refresh is refused too", async () => {
    const house = open();
    await call(house);
    pass(120_000);
    world().revokeAll();
    world().behavior.refusesRefresh = true;
    expect(await call(house)).toMatchObject({ status: 200 });
    expect(grants()).toEqual(["authorization_code", "refresh_token", "authorization_code"]);
    expect(world().authorized).toHaveLength(2);
  });

  it("leads to nobody where it was only just given", async () => {
    world().behavior.givesRefreshToken = false;
    const house = open();
    await call(house);
    world().revokeAll();
    await expect(call(house)).rejects.toThrowError(/just given/);
    expect(world().authorized).toHaveLength(1);
  });
});

describe("a token that is not enough", () => {
  it("is traded for one with all scopes so far and the new one", async () => {
    const house = open();
    await call(house);
    world().behavior.needs = "write";
    expect(await call(house)).toEqual({ status: 200, body: { user: "ada", scope: "read write" } });
    expect(world().authorized.map((asked) => asked.get("scope"))).toEqual(["read", "read write"]);
  });

  it("is traded once for calls that are made together", async () => {
    const house = open();
    await call(house);
    world().behavior.needs = "write";
    const answers = await Promise.all([call(house), call(house), call(house)]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(world().authorized).toHaveLength(2);
  });

  it("is asked for more once only: what was not granted then is not asked for again", async () => {
    const house = open();
    await call(house);
    world().behavior.needs = "write";
    world().behavior.grantsOnly = "read";
    expect(await call(house)).toMatchObject({ status: 403 });
    expect(await call(house)).toMatchObject({ status: 403 });
    expect(world().authorized).toHaveLength(2);
  });
});

describe("a person who does not sign in", () => {
  it("is shown no page of its own accord for an hour; the error says where to go", async () => {
    world().behavior.declines = true;
    const house = open();
    await expect(call(house)).rejects.toThrowError(/declined/);
    await expect(call(house)).rejects.toThrowError(/must sign in .* at http/);
    expect(world().authorized).toHaveLength(1);
    world().behavior.declines = false;
    pass(3_600_000);
    expect(await call(house)).toMatchObject({ status: 200 });
  });
});
