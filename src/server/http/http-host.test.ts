import { createServer } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { describe, expect, onTestFinished, test } from "vitest";
import { bearer, errorCodeOf, hostScene, jsonReply, sendRawRequest } from "../../../test/kit/host-scene.ts";
import { waitFor } from "../../../test/kit/wait-for.ts";
import { openHttpHost } from "./http-host.ts";

const principal = { agent: "ada" };
const token = "ada-token-0123456789";
const tokens = { kind: "tokens", tokens: [{ token, principal }] } as const;
const mcp = { fetch: async () => jsonReply({}), close: async () => {} };

/** A latch that the test opens. */
const latch = () => {
  let open: () => void = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { open, opened };
};

describe("opening", () => {
  test("is refused without auth on addresses that other machines can reach", async () => {
    for (const host of ["0.0.0.0", "::", "192.0.2.1", "", "example.com"]) {
      const opening = openHttpHost({ mcp, host, auth: { kind: "none", principal } });
      await expect(opening).rejects.toMatchObject({ code: "invalid_config", name: "ConfigurationError" });
      await expect(opening).rejects.toThrow(/^The kind of auth is "none", but .* Bind to 127\.0\.0\.1/);
    }
  });

  test("on all addresses requires tokens and warns about the missing TLS", async () => {
    const host = await hostScene({ host: "0.0.0.0", auth: tokens });
    expect(host.warnings).toHaveLength(2);
    expect(host.warnings[0]).toContain("TLS");
    expect(host.warnings[1]).toContain("allowedHosts");
    expect((await sendRawRequest(host)).status).toBe(401);
    expect((await sendRawRequest(host, { headers: bearer(token) })).status).toBe(200);
  });

  test("on loopback has no warnings and returns its URL", async () => {
    const host = await hostScene({ path: "/a/b" });
    expect(host.warnings).toEqual([]);
    expect(host.url).toBe(`http://127.0.0.1:${host.port}/a/b`);
  });

  test("on a port in use reports that", async () => {
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void other.close());
    const { port } = other.address() as AddressInfo;
    const opening = openHttpHost({ mcp, port, auth: { kind: "none", principal } });
    await expect(opening).rejects.toMatchObject({ name: "ConfigurationError", code: "invalid_config" });
    await expect(opening).rejects.toThrow(`Port ${port} on 127.0.0.1 is in use. Stop the other program`);
  });

  test.each([
    [{ port: 70_000 }, "/port"],
    [{ path: "mcp" }, "/path"],
    [{ path: "/healthz" }, "/path"],
    [{ path: "/a?b" }, "/path"],
    [{ allowedHosts: ["*"] }, "/allowedHosts/0"],
    [{ allowedHosts: ["https://a.example"] }, "/allowedHosts/0"],
    [{ allowedOrigins: ["*"] }, "/allowedOrigins/0"],
    [{ allowedOrigins: ["https://a.example/"] }, "/allowedOrigins/0"],
    [{ allowedOrigins: ["null"] }, "/allowedOrigins/0"],
    [{ maxBodyBytes: 0 }, "/maxBodyBytes"],
    [{ maxConcurrent: 1.5 }, "/maxConcurrent"],
    [{ auth: { kind: "oauth" } as never }, "/auth/kind"],
    [{ auth: { kind: "none" } as never }, "/auth/principal/agent"],
  ])("is refused with %j", async (options, message) => {
    await expect(hostScene(options)).rejects.toThrow(message);
  });
});

describe("health", () => {
  const servers = [{ id: "secret-crm", status: "error", reason: "not shown" }];
  const problems = [{ part: "servers", message: "The server is error." }];
  const health = () => ({ status: "degraded", servers, problems }) as const;
  const get = (path: string, headers = {}) => ({ method: "GET", path, headers });
  const strangers = { status: "degraded", problems: [{ part: "servers" }] };

  test("names servers in readiness only for local requests and for callers with a token", async () => {
    const host = await hostScene({ auth: tokens, health, allowedHosts: ["mcp.example.com"] });
    const named = { status: "degraded", problems, servers: [{ id: "secret-crm", status: "error" }] };
    expect((await sendRawRequest(host, get("/readyz"))).body).toEqual(named);
    const through = { host: "mcp.example.com" };
    expect((await sendRawRequest(host, get("/readyz", through))).body).toEqual(strangers);
    expect((await sendRawRequest(host, get("/readyz", { ...through, ...bearer(token) }))).body).toEqual(
      named,
    );
    expect(
      (await sendRawRequest(host, get("/readyz", { ...through, ...bearer("wrong-token-0123") }))).body,
    ).toEqual(strangers);
  });

  test.each([
    "x-forwarded-for",
    "x-forwarded-host",
    "x-forwarded-proto",
    "x-original-forwarded-for",
    "forwarded",
    "via",
    "x-real-ip",
    "x-client-ip",
    "x-cluster-client-ip",
    "x-azure-clientip",
    "true-client-ip",
    "cf-connecting-ip",
    "x-envoy-external-address",
  ])("treats a request with %s as one through a proxy", async (name) => {
    const host = await hostScene({ auth: tokens, health });
    expect((await sendRawRequest(host, get("/readyz", { [name]: "127.0.0.1" }))).body).toEqual(strangers);
    expect((await sendRawRequest(host, get("/readyz", { accept: "*/*" }))).body).toHaveProperty("servers");
  });

  test("returns only the status and the failing parts to a request by address", async () => {
    const host = await hostScene({ health });
    const answered = await sendRawRequest(host, get("/readyz", { host: "10.0.0.7:8080" }));
    expect([answered.status, answered.body]).toEqual([200, strangers]);
    expect((await sendRawRequest(host, get("/readyz", { origin: "https://evil.example" }))).body).toEqual(
      strangers,
    );
    expect((await sendRawRequest(host, { path: "/healthz" })).status).toBe(405);
  });

  test("reports the process as live in any case, and as ready only when calls can be made", async () => {
    const broken = [{ part: "ledger", message: "The ledger cannot be read." }];
    const host = await hostScene({ health: () => ({ status: "failing", servers: [], problems: broken }) });
    const alive = await sendRawRequest(host, get("/healthz"));
    expect([alive.status, alive.body]).toEqual([200, { status: "ok" }]);
    const ready = await sendRawRequest(host, get("/readyz"));
    expect([ready.status, ready.body]).toEqual([503, { status: "not_ready", problems: broken, servers: [] }]);
    const well = await hostScene();
    expect((await sendRawRequest(well, get("/readyz"))).body).toEqual({
      status: "ready",
      problems: [],
      servers: [],
    });
    expect((await sendRawRequest(well, get("/readyz", { host: "10.0.0.7:8080" }))).body).toEqual({
      status: "ready",
    });
  });
});

describe("closing", () => {
  test("completes running calls, refuses new ones and then closes every socket", async () => {
    const call = latch();
    const began = latch();
    const host = await hostScene({ drainMs: 60_000 }, async () => {
      began.open();
      await call.opened;
      return jsonReply({ done: true });
    });
    const running = sendRawRequest(host);
    await began.opened;
    const closed = host.close();
    expect(host.close()).toBe(closed);
    const late = await sendRawRequest(host);
    expect([late.status, errorCodeOf(late), late.headers.connection]).toEqual([503, "draining", "close"]);
    const probe = await sendRawRequest(host, { method: "GET", path: "/healthz" });
    expect([probe.status, probe.body]).toEqual([503, { status: "draining" }]);
    expect((await sendRawRequest(host, { method: "GET", path: "/readyz" })).status).toBe(503);
    call.open();
    expect((await running).body).toEqual({ done: true });
    await closed;
    await expect(sendRawRequest(host)).rejects.toThrow("ECONNREFUSED");
    expect(host.seen).toHaveLength(1);
  });

  test("aborts a call after the given time", async () => {
    const began = latch();
    let aborted = false;
    const graces: number[] = [];
    const host = await hostScene({
      drainMs: 30,
      mcp: {
        fetch: (request) => {
          request.signal.addEventListener("abort", () => {
            aborted = true;
          });
          began.open();
          return new Promise(() => {});
        },
        close: async (grace) => void graces.push(grace),
      },
    });
    const running = sendRawRequest(host).catch((error: Error) => error.message);
    await began.opened;
    await host.close();
    expect(await running).toContain("socket hang up");
    // Timers may fire a little early.
    expect(graces).toHaveLength(1);
    expect(graces[0]).toBeLessThan(5);
    expect(aborted).toBe(true);
  });

  test("waits for active calls and not for open streams", async () => {
    let calls = 1;
    const asked = latch();
    let end: () => void = () => {};
    const host = await hostScene({
      drainMs: 60_000,
      mcp: {
        fetch: async () =>
          new Response(
            new ReadableStream({
              start: (controller) => {
                end = () => controller.close();
              },
            }),
            { headers: { "content-type": "text/event-stream" } },
          ),
        get activeCalls() {
          asked.open();
          return calls;
        },
        close: async () => end(),
      },
    });
    const headers = { "content-type": "application/json" };
    const stream = await fetch(host.url, { method: "POST", headers, body: "{}" });
    const closed = host.close();
    await asked.opened;
    calls = 0;
    await closed;
    expect(await stream.text()).toBe("");
  });

  test("does not wait for idle connections", async () => {
    const host = await hostScene();
    const socket = connect(host.port, "127.0.0.1");
    const gone = new Promise<void>((resolve) => socket.on("close", () => resolve()));
    await new Promise<void>((resolve) => socket.on("connect", () => resolve()));
    await host.close();
    await gone;
  });
});

test("refuses requests above maxConcurrent and reuses a freed place", async () => {
  const call = latch();
  const began = latch();
  const host = await hostScene({ maxConcurrent: 1 }, async () => {
    began.open();
    await call.opened;
    return jsonReply({});
  });
  const first = sendRawRequest(host);
  await began.opened;
  const second = await sendRawRequest(host);
  expect([second.status, errorCodeOf(second), second.headers["retry-after"]]).toEqual([
    503,
    "too_many_at_once",
    "1",
  ]);
  call.open();
  expect((await first).status).toBe(200);
  await waitFor(async () => expect((await sendRawRequest(host)).status).toBe(200));
});

describe("mounted routes", () => {
  test("have the same checks, the principal of the caller and the limit for bodies", async () => {
    const host = await hostScene({
      auth: tokens,
      maxBodyBytes: 100,
      routes: async (request, { principal }) => {
        const { pathname } = new URL(request.url);
        if (pathname === "/api/broken") throw new Error("hunter2");
        if (pathname !== "/api/echo") return new Response(null, { status: 404 });
        return Response.json({
          agent: principal?.agent,
          shown: request.headers.get("authorization"),
          text: await request.text(),
        });
      },
    });
    const path = "/api/echo";
    expect((await sendRawRequest(host, { path })).status).toBe(401);
    expect(
      (await sendRawRequest(host, { path, headers: { ...bearer(token), origin: "https://evil.example" } }))
        .status,
    ).toBe(403);
    const answered = await sendRawRequest(host, { path, headers: bearer(token), body: "hello" });
    expect(answered.body).toEqual({ agent: "ada", shown: null, text: "hello" });
    expect((await sendRawRequest(host, { path, headers: bearer(token), body: "a".repeat(101) })).status).toBe(
      413,
    );
    const broken = await sendRawRequest(host, { method: "GET", path: "/api/broken", headers: bearer(token) });
    expect([broken.status, errorCodeOf(broken), broken.text.includes("hunter2")]).toEqual([
      500,
      "internal_error",
      false,
    ]);
    expect(host.errors).toHaveLength(1);
    expect((await sendRawRequest(host, { path: "/api/none", headers: bearer(token) })).status).toBe(404);
  });
});
