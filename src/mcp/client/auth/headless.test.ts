import { describe, expect, it } from "vitest";
import { oauthAda, oauthBob, useMcpOAuth } from "../../../../test/kit/mcp-oauth-scene.ts";
import { memoryTokenStore } from "../../../base/credentials/oauth/token-store.ts";

const { world, open, call, named, pass } = useMcpOAuth();

const away = { redirectUrl: "https://haft.example/back" };

/** Returns the redirect location after the user consents, without requesting it. */
const visited = async (url: string): Promise<string> => {
  const response = await fetch(url, { redirect: "manual" });
  return response.headers.get("location") ?? "";
};

const headless = (store = memoryTokenStore()) => open({ store, onSignIn: undefined as never });

describe("sign-in without a browser", () => {
  it("fails the call with the sign-in URL, which stays the same while the sign-in is pending", async () => {
    const authorizations = headless();
    const error = await call(authorizations).catch((reason) => reason);
    expect(error).toMatchObject({ _tag: "CredentialsError", code: "sign_in_required" });
    expect(error.message).toContain(`${world().issuer}/authorize?`);
    expect((await call(authorizations).catch((reason) => reason)).message).toBe(error.message);
    expect(world().registered).toHaveLength(1);
    pass(600_001);
    expect((await call(authorizations).catch((reason) => reason)).message).not.toBe(error.message);
  });

  it("is finished by the host with the redirect parameters, also in another process", async () => {
    const store = memoryTokenStore();
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

  it("is finished by pasting the redirect URL", async () => {
    const authorizations = headless();
    const { url } = await authorizations.beginSignIn(named(), oauthAda);
    await authorizations.finishSignIn(named(), oauthAda, await visited(url));
    expect(await call(authorizations)).toMatchObject({ status: 200 });
  });

  it("cannot be finished by another caller, and a wrong attempt does not use it up", async () => {
    const authorizations = headless();
    const { url } = await authorizations.beginSignIn(named(), oauthAda);
    const address = await visited(url);
    await expect(authorizations.finishSignIn(named(), oauthBob, address)).rejects.toThrowError(
      /no pending request/,
    );
    const guessed = new URL(address);
    guessed.searchParams.set("state", "guessed");
    await expect(authorizations.finishSignIn(named(), oauthAda, guessed.href)).rejects.toThrowError(
      /no pending request/,
    );
    await authorizations.finishSignIn(named(), oauthAda, address);
    await expect(authorizations.finishSignIn(named(), oauthAda, address)).rejects.toThrowError(
      /no pending request/,
    );
  });

  it("rejects a response that is late, from another issuer, or has a repeated parameter", async () => {
    const authorizations = headless();
    const first = await visited((await authorizations.beginSignIn(named(), oauthAda)).url);
    await expect(authorizations.finishSignIn(named(), oauthAda, `${first}&state=again`)).rejects.toThrowError(
      /full URL/,
    );
    pass(600_001);
    await expect(authorizations.finishSignIn(named(), oauthAda, first)).rejects.toThrowError(
      /expired after 10 minutes/,
    );
    world().behavior.iss = { text: "https://attacker.example" };
    const wrong = await visited((await authorizations.beginSignIn(named(), oauthAda)).url);
    await expect(authorizations.finishSignIn(named(), oauthAda, wrong)).rejects.toThrowError(
      /another issuer/,
    );
    expect(world().forms).toHaveLength(0);
  });

  it("deletes the tokens on sign-out", async () => {
    const authorizations = headless();
    const { url } = await authorizations.beginSignIn(named(), oauthAda);
    await authorizations.finishSignIn(named(), oauthAda, await visited(url));
    await call(authorizations);
    await authorizations.signOut(named(), oauthAda);
    await expect(call(authorizations)).rejects.toMatchObject({ code: "sign_in_required" });
  });
});
