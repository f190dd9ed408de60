import { chmod, chown, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { oauthBob, useMcpOAuth } from "../../../../test/kit/mcp-oauth-scene.ts";
import { fileTokenStore } from "../../../base/credentials/oauth/file-token-store.ts";
import { memoryTokenStore } from "../../../base/credentials/oauth/token-store.ts";

const { world, open, call, pass } = useMcpOAuth();
let folder = "";

beforeEach(async () => {
  folder = join(await mkdtemp(join(tmpdir(), "haft-mcp-tokens-")), "tokens");
});

afterEach(async () => {
  await rm(join(folder, ".."), { recursive: true, force: true });
});

const files = async (): Promise<readonly string[]> =>
  (await readdir(folder)).filter((name) => name.endsWith(".json")).map((name) => join(folder, name));

const modeOf = async (path: string): Promise<number> => (await stat(path)).mode & 0o777;

describe("fileTokenStore", () => {
  it("restricts access to the user and serves another process", async () => {
    await call(open({ store: fileTokenStore(folder) }));
    const [path = ""] = await files();
    expect(await modeOf(path)).toBe(0o600);
    expect(await modeOf(folder)).toBe(0o700);
    expect(await call(open({ store: fileTokenStore(folder) }))).toMatchObject({ status: 200 });
    expect(world().authorized).toHaveLength(1);
  });

  it("writes one file per caller with an opaque name", async () => {
    const store = fileTokenStore(folder);
    await call(open({ store }));
    world().behavior.user = "bob";
    await call(open({ store }), { principal: oauthBob });
    const names = await files();
    expect(names).toHaveLength(2);
    for (const name of names) expect(name).toMatch(/[0-9a-f]{64}\.json$/);
  });

  it("rejects files that other users can read", async () => {
    const store = fileTokenStore(folder);
    await call(open({ store }));
    const [path = ""] = await files();
    await chmod(path, 0o644);
    await expect(call(open({ store }))).rejects.toMatchObject({
      code: "token_unavailable",
      message: expect.stringContaining("set its mode to 0600"),
    });
    expect(world().shown).toHaveLength(1);
  });

  it.skipIf(process.getuid?.() !== 0)("rejects files of another user", async () => {
    const store = fileTokenStore(folder);
    await call(open({ store }));
    const [path = ""] = await files();
    await chown(path, 12_345, 12_345);
    await expect(call(open({ store }))).rejects.toThrowError(/does not belong to the user/);
  });

  it("rejects the file of another caller under a different name", async () => {
    const store = fileTokenStore(folder);
    await call(open({ store }));
    const [mine = ""] = await files();
    const stolen = await readFile(mine, "utf8");
    world().behavior.user = "bob";
    await call(open({ store }), { principal: oauthBob });
    const his = (await files()).find((path) => path !== mine) ?? "";
    await writeFile(his, stolen, { mode: 0o600 });
    await expect(call(open({ store }), { principal: oauthBob })).rejects.toMatchObject({
      code: "token_unavailable",
    });
  });

  it("lets one of two processes refresh at a time", async () => {
    const houses = [open({ store: fileTokenStore(folder) }), open({ store: fileTokenStore(folder) })];
    for (const house of houses) await call(house);
    pass(3_590_000);
    await Promise.all(houses.map((authorizations) => call(authorizations)));
    expect(world().forms.map((form) => form.get("grant_type"))).toEqual([
      "authorization_code",
      "refresh_token",
    ]);
  });
});

describe("custom token store", () => {
  it("reports a failure without its message", async () => {
    const store = { ...memoryTokenStore(), get: () => Promise.reject(new Error("canary-words")) };
    const error = await call(open({ store })).catch((reason) => reason);
    expect(error).toMatchObject({ code: "token_unavailable" });
    expect(JSON.stringify(error.failure)).not.toContain("canary-words");
  });

  it("is rejected when it returns invalid tokens", async () => {
    const store = {
      ...memoryTokenStore(),
      get: () => ({ accessToken: '{"version":1,"tokens":{}}', issuedAt: 1 }),
    };
    await expect(call(open({ store }))).rejects.toMatchObject({ code: "token_unavailable" });
  });
});
