import { chmod, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as Effect from "effect/Effect";
import * as Redacted from "effect/Redacted";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { clientId, clientSecret, oauthServer } from "../../../../test/kit/oauth-server.ts";
import { openHttpEgress } from "../../http/open-http-egress.ts";
import { credentials } from "../credentials.ts";
import { fileTokenStore } from "./file-token-store.ts";
import type { StoredToken } from "./token-store.ts";

const token: StoredToken = {
  accessToken: "canary-access",
  refreshToken: "canary-refresh",
  issuedAt: 1,
  expiresAt: 2,
};
let folder = "";

beforeEach(async () => {
  folder = join(await mkdtemp(join(tmpdir(), "haft-tokens-")), "tokens");
});

afterEach(async () => {
  await rm(join(folder, ".."), { recursive: true, force: true });
});

const only = async (): Promise<string> => join(folder, (await readdir(folder))[0] ?? "");

describe("fileTokenStore", () => {
  it("shares tokens between stores that use the same directory", async () => {
    const [one, other] = [fileTokenStore(folder), fileTokenStore(folder)];
    expect(await one.get("a")).toBeUndefined();
    await one.set("a", token);
    expect(await other.get("a")).toEqual(token);
    await other.set("a", { ...token, accessToken: "canary-newer" });
    expect(await one.get("a")).toMatchObject({ accessToken: "canary-newer" });
    await one.delete("a");
    await one.delete("a");
    expect(await other.get("a")).toBeUndefined();
  });

  it("restricts access to the owner and leaves no temporary files", async () => {
    await fileTokenStore(folder).set("a", token);
    const files = await readdir(folder);
    expect(files).toEqual([expect.stringMatching(/^[0-9a-f]{64}\.json$/)]);
    expect((await stat(await only())).mode & 0o777).toBe(0o600);
    expect((await stat(folder)).mode & 0o777).toBe(0o700);
  });

  it("refuses token files that other users can read", async () => {
    const store = fileTokenStore(folder);
    await store.set("a", token);
    await chmod(await only(), 0o644);
    await expect(store.get("a")).rejects.toThrow(
      "can be read by other users (mode 0644); set its mode to 0600",
    );
  });

  it("refuses to write to a directory that other users can write to", async () => {
    const store = fileTokenStore(join(folder, ".."));
    await chmod(join(folder, ".."), 0o777);
    await expect(store.set("a", token)).rejects.toThrow("set its mode to 0700");
    await expect(store.hold!("a")).rejects.toThrow("set its mode to 0700");
  });

  it("refuses to read from a directory that other users can write to, since tokens could be rolled back", async () => {
    const store = fileTokenStore(folder);
    await store.set("a", token);
    for (const mode of [0o777, 0o770, 0o702]) {
      await chmod(folder, mode);
      await expect(store.get("a")).rejects.toThrow("set its mode to 0700");
    }
    await chmod(folder, 0o755);
    expect(await store.get("a")).toEqual(token);
  });

  it("rejects files of another key and truncated files", async () => {
    const store = fileTokenStore(folder);
    await store.set("a", token);
    const whole = await readFile(await only(), "utf8");
    for (const text of [whole.replace('"key":"a"', '"key":"b"'), whole.slice(0, -9), "7", "null"]) {
      await writeFile(await only(), text);
      await expect(store.get("a")).rejects.toThrow("does not contain this token");
    }
  });

  it("returns complete tokens while other stores write", async () => {
    const stores = [fileTokenStore(folder), fileTokenStore(folder)];
    await stores[0]!.set("a", token);
    const writes = Array.from({ length: 40 }, (_, at) =>
      stores[at % 2]!.set("a", { ...token, accessToken: `canary-${at}` }),
    );
    const reads = Array.from({ length: 40 }, (_, at) => stores[at % 2]!.get("a"));
    for (const read of await Promise.all(reads))
      expect(read).toMatchObject({ refreshToken: "canary-refresh" });
    await Promise.all(writes);
    expect(await readdir(folder)).toHaveLength(1);
  });

  it("grants the hold on a key to one holder at a time", async () => {
    const store = fileTokenStore(folder);
    const hold = (key: string) => store.hold!(key) as Promise<() => Promise<void>>;
    const release = await hold("a");
    let isHeld = false;
    const second = hold("a").then((free) => {
      isHeld = true;
      return free;
    });
    await (await hold("b"))();
    expect(isHeld).toBe(false);
    await release();
    const left = await second;
    expect(isHeld).toBe(true);
    await left();
    expect(await readdir(folder)).toEqual([]);
  });
});

describe("two processes that share a directory", () => {
  it("refresh a rotating token once", () =>
    Effect.gen(function* () {
      const server = yield* oauthServer();
      const client = yield* openHttpEgress({ allow: [server.place] });
      const first = server.grantTo("ada");
      const store = () =>
        credentials(
          {
            values: { client: clientSecret, first },
            oauth: {
              calendar: {
                grant: "refresh_token",
                clientId,
                clientSecret: "client",
                tokenUrl: server.urls.token,
                refreshToken: () => "first",
              },
            },
            tokens: folder,
          },
          client,
        );
      const stores = [store(), store(), store(), store()];
      const ada = { agent: "helper", user: "ada" };
      const got = yield* Effect.all(
        Array.from({ length: 40 }, (_, at) => stores[at % 4]!.token("calendar", ada)),
        { concurrency: "unbounded" },
      );
      expect(new Set(got.map(Redacted.value)).size).toBe(1);
      expect(server.forms).toHaveLength(1);
    }).pipe(Effect.scoped, Effect.runPromise));
});
