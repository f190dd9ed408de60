import { describe, expect, it } from "vitest";
import { oauthAda, oauthBob, useMcpOAuth } from "../../../../test/kit/mcp-oauth-scene.ts";
import { memoryMcpTokens } from "./token-store.ts";

const { world, open, call, named, pass } = useMcpOAuth();

const away = { redirectUrl: "https://haft.example/back" };

/** The browser's address after the person agreed, which nothing here answers. */
const visited = async (url: string): Promise<string> => {
  const response = await fetch(url, { redirect: "manual" });
  return response.headers.get("location") ?? "";
};

const headless = (store = memoryMcpTokens()) => open({ store, onSignIn: undefined as never });

describe("where nobody sits", () => {
  it("a call fails with the page to visit, and that page stays the same while it waits", async () => {
    const house = headless();
    const error = await call(house).catch((reason) => reason);
    expect(error).toMatchObject({ _tag: "CredentialsError", code: "sign_in_required" });
    expect(error.message).toContain(`${world().issuer}/authorize?`);
    expect((await call(house).catch((reason) => reason)).message).toBe(error.message);
    expect(world().registered).toHaveLength(1);
    pass(600_001);
    expect((await call(house).catch((reason) => reason)).message).not.toBe(error.message);
  });

  it("the host finishes it with the fields that came back, in another process if need be", async () => {
    const store = memoryMcpTokens();
    const { url, state } = await headless(store).beginSignIn(named({ oauth: away }), oauthAda);
    const back = new URL(await visited(url));
    expect(back.origin).toBe("https://haft.example");
    const answer = {
      state,
      code: back.searchParams.get("code") ?? "",
      iss: back.searchParams.get("iss") ?? "",
    };
    const other = headless(store);
    await other.finishSignIn(named({ oauth: away }), oauthAda, answer);
    expect(await call(other, { oauth: away })).toMatchObject({ status: 200, body: { user: "ada" } });
  });

  it("a person finishes it by pasting the address that the browser shows", async () => {
    const house = headless();
    const { url } = await house.beginSignIn(named(), oauthAda);
    await house.finishSignIn(named(), oauthAda, await visited(url));
    expect(await call(house)).toMatchObject({ status: 200 });
  });

  it("nobody else can finish it, and trying does not use it up", async () => {
    const house = headless();
    const { url } = await house.beginSignIn(named(), oauthAda);
    const address = await visited(url);
    await expect(house.finishSignIn(named(), oauthBob, address)).rejects.toThrowError(/not waiting/);
    const guessed = new URL(address);
    guessed.searchParams.set("state", "guessed");
    await expect(house.finishSignIn(named(), oauthAda, guessed.href)).rejects.toThrowError(/not waiting/);
    await house.finishSignIn(named(), oauthAda, address);
    await expect(house.finishSignIn(named(), oauthAda, address)).rejects.toThrowError(/not waiting/);
  });

  it("an answer is refused when it is late, of another issuer, or has a field twice", async () => {
    const house = headless();
    const first = await visited((await house.beginSignIn(named(), oauthAda)).url);
    await expect(house.finishSignIn(named(), oauthAda, `${first}&state=again`)).rejects.toThrowError(
      /whole address/,
    );
    pass(600_001);
    await expect(house.finishSignIn(named(), oauthAda, first)).rejects.toThrowError(/older than 10 minutes/);
    world().behavior.iss = { text: "https://attacker.example" };
    const wrong = await visited((await house.beginSignIn(named(), oauthAda)).url);
    await expect(house.finishSignIn(named(), oauthAda, wrong)).rejects.toThrowError(/somebody else/);
    expect(world().forms).toHaveLength(0);
  });

  it("signing out forgets the tokens", async () => {
    const house = headless();
    const { url } = await house.beginSignIn(named(), oauthAda);
    await house.finishSignIn(named(), oauthAda, await visited(url));
    await call(house);
    await house.signOut(named(), oauthAda);
    await expect(call(house)).rejects.toMatchObject({ code: "sign_in_required" });
  });
});
