import { describe, expect, test } from "vitest";
import type { JwtAuth } from "../../src/server/http/auth/host-auth.ts";
import { mountMcp } from "../../src/server/http/mount-mcp.ts";
import { fakeGatewayBackend } from "../kit/fake-gateway-backend.ts";
import { bearer, type HostScene, hostScene, sendRawRequest } from "../kit/host-scene.ts";
import { jwtAuthOf, toKeySet } from "../kit/jwt-scene.ts";
import {
  closeCodePrefix,
  connectWithToken,
  firstSigner,
  longLivedTransports,
  startKeyServer,
} from "./access-scene.ts";

const scopes = { read: ["say"], write: ["tell"] };
const authOf = (more: Partial<JwtAuth> = {}): JwtAuth =>
  jwtAuthOf(toKeySet(firstSigner), { scopes, ...more });

const gateway = (auth: JwtAuth): Promise<HostScene> => {
  const { served } = fakeGatewayBackend({ runs: { say: () => "said", tell: () => "told" } });
  return hostScene({ auth, ...mountMcp(served) });
};

describe.each(longLivedTransports)("an open connection over $name with a JWT", (way) => {
  test("ends when one of its scopes grants other tools, and stays open when another scope changes", async () => {
    const host = await gateway(authOf());
    const writer = await connectWithToken(way, host, await firstSigner.sign({ scope: "read write" }));
    const reader = await connectWithToken(way, host, await firstSigner.sign({ scope: "read" }));
    await host.changeAuth(authOf({ scopes: { read: ["say"] } }));
    expect(await writer.ended).toBe(
      `${closeCodePrefix(way.name, 1012)}The permissions of this caller have changed. Reconnect.`,
    );
    expect(await reader.send()).toEqual({ status: 200, error: undefined });
  });

  test("ends when it lacks a newly required scope", async () => {
    const host = await gateway(authOf());
    const connection = await connectWithToken(way, host, await firstSigner.sign({ scope: "read" }));
    await host.changeAuth(authOf({ requiredScopes: ["admin"] }));
    expect(await connection.ended).toBe(
      `${closeCodePrefix(way.name, 1008)}The token lacks a scope. Get one with admin.`,
    );
  });
});

describe("changed auth of an open host", () => {
  const show = (host: HostScene, token: string, headers = {}) =>
    sendRawRequest(host, { headers: { ...bearer(token), ...headers } });
  const metadataOf = async (host: HostScene) =>
    (await sendRawRequest(host, { method: "GET", path: "/.well-known/oauth-protected-resource" })).body;

  test("a removed scope grants nothing to the next request and is no longer advertised", async () => {
    const host = await hostScene({ auth: authOf() });
    const token = await firstSigner.sign({ scope: "read write" });
    await show(host, token);
    await host.changeAuth(authOf({ scopes: { read: ["say"] } }));
    await show(host, token);
    expect(host.seen.map(({ principal }) => principal.allow)).toEqual([["say", "tell"], ["say"]]);
    expect(await metadataOf(host)).toMatchObject({ scopes_supported: ["read"] });
  });

  test("a changed issuer and public address apply to the next request", async () => {
    const host = await hostScene({ auth: authOf() });
    const [issuer, audience] = ["https://other.example.com", "https://tools.example.com/team"];
    const [old, next] = [await firstSigner.sign(), await firstSigner.sign({ iss: issuer, aud: audience })];
    expect([(await show(host, old)).status, (await show(host, next)).status]).toEqual([200, 401]);
    await host.changeAuth(authOf({ issuer, audience }));
    const named = { host: "tools.example.com" };
    expect([(await show(host, old)).status, (await show(host, next, named)).status]).toEqual([401, 200]);
    expect((await show(host, next, { host: "mcp.example.com" })).status).toBe(403);
    expect(await metadataOf(host)).toMatchObject({ resource: audience, authorization_servers: [issuer] });
    const path = "/.well-known/oauth-protected-resource/team";
    expect((await sendRawRequest(host, { method: "GET", path })).status).toBe(200);
  });

  test("another kind of auth is refused, and the current auth stays", async () => {
    const host = await hostScene({ auth: authOf() });
    const tokens = [{ token: "ada-token-0123456789", principal: { agent: "ada" } }];
    await expect(host.changeAuth({ kind: "tokens", tokens })).rejects.toThrow("Restart the host");
    expect((await show(host, await firstSigner.sign())).status).toBe(200);
  });

  test("changed rights apply with the last keys while the key server is down", async () => {
    const { state, auth } = await startKeyServer(firstSigner);
    const host = await hostScene({ auth: { ...auth, scopes } });
    const token = await firstSigner.sign({ scope: "read write" });
    expect((await show(host, token)).status).toBe(200);
    state.isUp = false;
    await host.changeAuth({ ...auth, scopes: { read: ["say"] } });
    expect((await show(host, token)).status).toBe(200);
    expect(host.seen[1]!.principal.allow).toEqual(["say"]);
  });
});
