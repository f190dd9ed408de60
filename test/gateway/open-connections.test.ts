import { describe, expect, test } from "vitest";
import type { HostOptions } from "../../src/server/http/host-options.ts";
import { mountMcp } from "../../src/server/http/mount-mcp.ts";
import { fakeGatewayBackend } from "../kit/fake-gateway-backend.ts";
import { connectionTypes } from "../kit/gateway-connections.ts";
import { bearer, type HostScene, hostScene, sendRawRequest } from "../kit/host-scene.ts";
import { jwtAuthOf, toKeySet } from "../kit/jwt-scene.ts";
import { waitFor } from "../kit/wait-for.ts";
import {
  adaToken,
  closeCodePrefix,
  connectWithToken,
  firstSigner,
  longLivedTransports,
  secondSigner,
  startKeyServer,
} from "./access-scene.ts";

const allowed = (...allow: readonly string[]) =>
  ({ kind: "tokens", tokens: [{ token: adaToken, principal: { agent: "ada", allow } }] }) as const;

const waiting: (() => void)[] = [];
const gateway = async (options: Partial<HostOptions>): Promise<HostScene> => {
  const { served } = fakeGatewayBackend({
    runs: {
      say: () => "said",
      tell: () => "told",
      wait: () => new Promise((resolve) => waiting.push(() => resolve("waited"))),
    },
  });
  return hostScene({ auth: allowed("*"), ...mountMcp(served), ...options });
};

describe.each(longLivedTransports)("an idle connection over $name", (way) => {
  test("ends when its token expires, with the reason", async () => {
    let at = Date.now();
    const host = await gateway({ auth: jwtAuthOf(toKeySet(firstSigner)), now: () => at });
    const connection = await connectWithToken(
      way,
      host,
      await firstSigner.sign({ exp: Math.floor(at / 1000) + 1 }),
    );
    at += 2_000;
    expect(await connection.ended).toBe(
      `${closeCodePrefix(way.name, 1008)}The token expired. Get a new one.`,
    );
  });

  test("ends when its token is revoked", async () => {
    const host = await gateway({});
    const connection = await connectWithToken(way, host, adaToken);
    const other = { token: "bob-token-0123456789", principal: { agent: "bob" } };
    await host.changeAuth({ kind: "tokens", tokens: [other] });
    expect(await connection.ended).toBe(
      `${closeCodePrefix(way.name, 1008)}Unknown token. Ask the operator of this host for a token.`,
    );
  });

  test("ends when its caller's rights change, and stays open when nothing changed", async () => {
    const host = await gateway({});
    const connection = await connectWithToken(way, host, adaToken);
    await host.changeAuth(allowed("*"));
    expect(await connection.send()).toEqual({ status: 200, error: undefined });
    await host.changeAuth(allowed("say"));
    const changed = "The permissions of this caller have changed. Reconnect.";
    expect(await connection.ended).toBe(`${closeCodePrefix(way.name, 1012)}${changed}`);
    expect((await connectWithToken(way, host, adaToken)).send).toBeDefined();
  });

  test("ends when a scheduled refresh no longer has the key of its token", async () => {
    const { state, auth } = await startKeyServer(firstSigner, secondSigner);
    const host = await gateway({ auth: { ...auth, jwksRefreshSec: 1 } });
    const connection = await connectWithToken(way, host, await firstSigner.sign());
    const other = await connectWithToken(way, host, await secondSigner.sign());
    state.signers = [secondSigner];
    expect(await connection.ended).toBe(
      `${closeCodePrefix(way.name, 1008)}The token is signed with a key that is not in the issuer's key set.`,
    );
    expect(await other.send()).toEqual({ status: 200, error: undefined });
  });
});

test("a running call of a socket is answered before the socket is closed", async () => {
  const host = await gateway({});
  const connection = await connectWithToken(connectionTypes[2]!, host, adaToken);
  const called = connection.send({ tool: "wait" });
  await waitFor(() => expect(waiting.length).toBe(1));
  await host.changeAuth({ kind: "tokens", tokens: [{ token: `${adaToken}0`, principal: { agent: "bob" } }] });
  expect((await connection.send()).status).toBe(401);
  for (const go of waiting.splice(0)) go();
  expect(await called).toEqual({ status: 200, error: undefined });
  expect(await connection.ended).toMatch(/^1008 /);
});

test("a socket is logged when it opens, for each message, and when it closes", async () => {
  const host = await gateway({ rate: { perMinute: 1, burst: 2 } });
  const connection = await connectWithToken(connectionTypes[2]!, host, adaToken);
  expect((await connection.send()).status).toBe(200);
  expect((await connection.send()).status).toBe(429);
  await host.close();
  await waitFor(() => expect(host.lines.length).toBe(4));
  expect(host.lines.map(({ ms: _, ...line }) => line)).toEqual(
    (
      [
        ["GET", 101],
        ["tools/call", 200],
        ["tools/call", 429],
        ["close", expect.any(Number)],
      ] as const
    ).map(([method, status]) => ({ method, path: "/mcp", status, agent: "ada", transport: "websocket" })),
  );
});

test("a refused socket is logged too", async () => {
  const host = await gateway({});
  await connectionTypes[2]!.open(host, { headers: bearer("eve-token-0123456789") });
  expect(host.lines).toMatchObject([{ method: "GET", path: "/mcp", status: 401, transport: "websocket" }]);
});

test("each message of a batch counts against the rate, and a batch above the limit is refused as a whole", async () => {
  const { served, calls } = fakeGatewayBackend({ runs: { say: () => "said" } });
  const host = await hostScene({
    auth: allowed("*"),
    ...mountMcp(served),
    rate: { perMinute: 60, burst: 10 },
    now: () => 0,
  });
  const post = (body: unknown, more = {}) =>
    sendRawRequest(host, {
      body: JSON.stringify(body),
      headers: { ...bearer(adaToken), accept: "application/json, text/event-stream", ...more },
    });
  const capabilities = {
    protocolVersion: "2025-03-26",
    capabilities: {},
    clientInfo: { name: "c", version: "1" },
  };
  const begun = await post({ jsonrpc: "2.0", id: 1, method: "initialize", params: capabilities });
  const session = { "mcp-session-id": String(begun.headers["mcp-session-id"]) };
  const call = (id: number) => ({ jsonrpc: "2.0", id, method: "tools/call", params: { name: "say" } });
  const batch = (from: number, count: number) =>
    Array.from({ length: count }, (_, index) => call(from + index));
  expect((await post(batch(10, 4), session)).status).toBe(200);
  expect(calls).toHaveLength(4);
  const refused = await post(batch(20, 6), session);
  expect([refused.status, refused.body.error]).toMatchObject([429, { data: { error: "too_many_requests" } }]);
  expect(calls).toHaveLength(4);
});

describe("unavailable keys", () => {
  test("of a server in a private network are reported at startup with the setting to change", async () => {
    const { place, auth } = await startKeyServer(firstSigner);
    const host = await gateway({ auth: { ...auth, allow: [] } });
    expect(host.warnings.join()).toContain(`add "${place}" to "allow"`);
    const ready = await sendRawRequest(host, { method: "GET", path: "/readyz" });
    expect(ready.status).toBe(503);
    expect(ready.body).toMatchObject({
      status: "not_ready",
      problems: [{ part: "jwks", message: expect.stringContaining(`add "${place}" to "allow"`) }],
    });
    expect((await sendRawRequest(host, { method: "GET", path: "/healthz" })).body).toEqual({ status: "ok" });
  });

  test("make the gateway ready again when they load, and cached keys are valid for one more interval", async () => {
    const { state, auth } = await startKeyServer(firstSigner);
    let at = Date.now();
    const host = await gateway({ auth: { ...auth, jwksRefreshSec: 600 }, now: () => at });
    const statusOf = async () =>
      (await sendRawRequest(host, { headers: bearer(await firstSigner.sign({ jti: String(at) })) })).status;
    const readiness = async () => (await sendRawRequest(host, { method: "GET", path: "/readyz" })).status;
    expect(host.warnings).toEqual([]);
    state.isUp = false;
    at += 20_000;
    const served = await statusOf();
    expect([served, await readiness()]).not.toContain(503);
    at += 1_200_000;
    const token = await firstSigner.sign({ exp: Math.floor(at / 1000) + 60 });
    expect((await sendRawRequest(host, { headers: bearer(token) })).status).toBe(503);
    expect(await readiness()).toBe(503);
    state.isUp = true;
    at += 5_001;
    expect((await sendRawRequest(host, { headers: bearer(token) })).status).not.toBe(503);
    expect(await readiness()).toBe(200);
  });

  test("leave the gateway degraded while the last set is valid, and /readyz reports until when", async () => {
    const { state, auth } = await startKeyServer(firstSigner);
    const began = Date.now();
    let at = began;
    const host = await gateway({ auth: { ...auth, jwksRefreshSec: 600 }, now: () => at });
    const statusOf = async (token: string) => (await sendRawRequest(host, { headers: bearer(token) })).status;
    const readiness = () => sendRawRequest(host, { method: "GET", path: "/readyz" });
    state.isUp = false;
    at += 31_000;
    expect(await statusOf(await secondSigner.sign())).toBe(503);
    expect(await statusOf(await firstSigner.sign())).not.toBe(503);
    const held = await readiness();
    const until = new Date(began + 1_200_000).toISOString();
    expect([held.status, held.body]).toMatchObject([
      200,
      {
        status: "degraded",
        problems: [
          { part: "jwks", message: expect.stringContaining(`The last key set is used until ${until}`) },
        ],
      },
    ]);
    at = began + 1_200_000;
    expect(await statusOf(await firstSigner.sign({ exp: Math.floor(at / 1000) + 60 }))).toBe(503);
    const over = await readiness();
    expect([over.status, over.body.status]).toEqual([503, "not_ready"]);
  });

  test("invalidate tokens that were verified with an expired set", async () => {
    const { state, auth } = await startKeyServer(firstSigner);
    let at = Date.now();
    const host = await gateway({ auth: { ...auth, jwksRefreshSec: 10 }, now: () => at });
    const token = await firstSigner.sign();
    const statusOf = async () => (await sendRawRequest(host, { headers: bearer(token) })).status;
    expect(await statusOf()).not.toBe(503);
    state.isUp = false;
    at += 19_999;
    expect(await statusOf()).not.toBe(503);
    at += 1;
    expect(await statusOf()).toBe(503);
    state.isUp = true;
    at += 5_001;
    expect(await statusOf()).not.toBe(503);
  });

  test("are requested on schedule even while reads fail", async () => {
    const { state, auth } = await startKeyServer(firstSigner);
    const at = Date.now();
    await gateway({ auth: { ...auth, jwksRefreshSec: 1 }, now: () => at });
    state.isUp = false;
    await waitFor(() => expect(state.asked).toBeGreaterThan(4));
  });
});
