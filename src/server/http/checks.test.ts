import { describe, expect, test } from "vitest";
import { errorCodeOf, hostScene, sendRawBytes, sendRawRequest } from "../../../test/kit/host-scene.ts";

describe("Host header", () => {
  test("is refused for a name that was rebound to loopback", async () => {
    const host = await hostScene();
    const answered = await sendRawRequest(host, { headers: { host: `evil.example.com:${host.port}` } });
    expect(answered.status).toBe(403);
    expect(errorCodeOf(answered)).toBe("forbidden_host");
    expect(answered.text).not.toContain("evil");
    expect(host.seen).toHaveLength(0);
  });

  test.each(["127.0.0.1", "localhost", "[::1]", "LOCALHOST"])(
    "%s is accepted with the port",
    async (name) => {
      const host = await hostScene();
      expect((await sendRawRequest(host, { headers: { host: `${name}:${host.port}` } })).status).toBe(200);
    },
  );

  test.each(["127.0.0.1", "localhost:1", "127.0.0.1.evil.com:PORT", "localhost.:PORT", "a@127.0.0.1:PORT"])(
    "%j is refused",
    async (name) => {
      const host = await hostScene();
      const answered = await sendRawRequest(host, {
        headers: { host: name.replace("PORT", String(host.port)) },
      });
      expect(answered.status).toBe(403);
      expect(host.seen).toHaveLength(0);
    },
  );

  test("is refused when it is empty or missing", async () => {
    const host = await hostScene();
    const end = "Connection: close\r\n\r\n";
    expect(await sendRawBytes(host.port, `GET /mcp HTTP/1.1\r\nHost:\r\n${end}`)).toMatch(/^HTTP\/1\.1 403 /);
    expect(await sendRawBytes(host.port, `GET /mcp HTTP/1.1\r\n${end}`)).toMatch(/^HTTP\/1\.1 400 /);
    expect(await sendRawBytes(host.port, `GET /mcp HTTP/1.0\r\n${end}`)).toMatch(/^HTTP\/1\.1 403 /);
    expect(host.seen).toHaveLength(0);
  });

  test("is accepted for a listed name exactly as it is listed", async () => {
    const host = await hostScene({ allowedHosts: ["MCP.example.com"] });
    expect((await sendRawRequest(host, { headers: { host: "mcp.example.com" } })).status).toBe(200);
    expect((await sendRawRequest(host, { headers: { host: `localhost:${host.port}` } })).status).toBe(200);
    expect((await sendRawRequest(host, { headers: { host: "mcp.example.com:81" } })).status).toBe(403);
    expect((await sendRawRequest(host, { headers: { host: "x.mcp.example.com" } })).status).toBe(403);
  });

  test("is refused when an absolute target names another host", async () => {
    const host = await hostScene();
    const text = await sendRawBytes(
      host.port,
      `POST http://evil.example.com/mcp HTTP/1.1\r\nHost: 127.0.0.1:${host.port}\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}`,
    );
    expect(text).toMatch(/^HTTP\/1\.1 400 /);
    expect(host.seen).toHaveLength(0);
  });
});

describe("Origin header", () => {
  test("is refused for a foreign page with a remedy", async () => {
    const host = await hostScene();
    const answered = await sendRawRequest(host, { headers: { origin: "https://evil.example.com" } });
    expect(answered.status).toBe(403);
    expect(answered.body).toEqual({
      error: {
        code: "forbidden_origin",
        message:
          "Pages of this origin may not send requests here. To allow them, add the origin to the allowed origins.",
      },
    });
    expect(answered.headers["access-control-allow-origin"]).toBeUndefined();
    expect(host.seen).toHaveLength(0);
  });

  test("is foreign for null, other ports of loopback and lookalikes, but not for the host's own pages", async () => {
    const host = await hostScene();
    const own = `127.0.0.1:${host.port}`;
    const foreign = [
      "null",
      "http://127.0.0.1",
      "http://localhost:1",
      `http://${own}.evil.com`,
      `ftp://${own}`,
      "",
    ];
    for (const origin of foreign)
      expect((await sendRawRequest(host, { headers: { origin } })).status, origin).toBe(403);
    expect((await sendRawRequest(host, { headers: { origin: `http://${own}` } })).status).toBe(200);
    expect((await sendRawRequest(host)).status).toBe(200);
  });

  test("is replaced by Sec-Fetch-Site when it is missing", async () => {
    const host = await hostScene();
    const marked = (site: string) =>
      sendRawRequest(host, {
        method: "GET",
        headers: { "sec-fetch-site": site, "sec-fetch-mode": "no-cors" },
      });
    expect((await marked("cross-site")).status).toBe(403);
    expect((await marked("same-site")).status).toBe(403);
    expect((await marked("same-origin")).status).toBe(200);
  });
});

describe("listed origin", () => {
  const origin = "https://app.example.com";

  test("may send a preflight request and receives the headers of the protocol", async () => {
    const host = await hostScene({ allowedOrigins: [origin] });
    const answered = await sendRawRequest(host, {
      method: "OPTIONS",
      headers: {
        origin,
        "access-control-request-method": "POST",
        "access-control-request-headers": "authorization, mcp-method, Mcp-Param-Region, x-evil",
      },
    });
    expect(answered.status).toBe(204);
    expect(answered.headers).toMatchObject({
      "access-control-allow-origin": origin,
      "access-control-allow-headers":
        "authorization, content-type, accept, mcp-protocol-version, mcp-session-id, mcp-method, mcp-param-region",
      "access-control-max-age": "600",
      vary: "Origin",
    });
    expect(answered.headers["access-control-allow-credentials"]).toBeUndefined();
    expect(host.seen).toHaveLength(0);
  });

  test("can read answers and errors", async () => {
    const host = await hostScene({
      allowedOrigins: [origin],
      auth: { kind: "tokens", tokens: [{ token: "0123456789abcdef", principal: { agent: "a" } }] },
    });
    const answered = await sendRawRequest(host, { headers: { origin } });
    expect(answered.status).toBe(401);
    expect(answered.headers["access-control-allow-origin"]).toBe(origin);
    expect(answered.headers["access-control-expose-headers"]).toBe(
      "Mcp-Session-Id, Mcp-Protocol-Version, WWW-Authenticate, Retry-After",
    );
  });

  test("is the only one that may send a preflight request", async () => {
    const preflight = { origin, "access-control-request-method": "POST" };
    const open = await hostScene({ allowedOrigins: ["https://other.example.com"] });
    expect((await sendRawRequest(open, { method: "OPTIONS", headers: preflight })).status).toBe(403);
    const closed = await hostScene();
    const own = { ...preflight, origin: `http://127.0.0.1:${closed.port}` };
    const answered = await sendRawRequest(closed, { method: "OPTIONS", headers: own });
    expect(answered.status).toBe(405);
    expect(answered.headers["access-control-allow-origin"]).toBeUndefined();
  });
});

describe("path, method and content", () => {
  test("are refused with 404 and 405 before the caller is identified", async () => {
    const host = await hostScene({
      auth: { kind: "tokens", tokens: [{ token: "0123456789abcdef", principal: { agent: "a" } }] },
    });
    for (const path of [
      "/",
      "/mcp/",
      "/MCP",
      "//mcp",
      "/x/../mcp",
      "/%6dcp",
      "/.well-known/oauth-protected-resource",
    ])
      expect((await sendRawRequest(host, { path })).status, path).toBe(404);
    const answered = await sendRawRequest(host, { method: "PUT" });
    expect(answered.status).toBe(405);
    expect(answered.headers.allow).toBe("GET, POST, DELETE");
  });

  test.each([
    [{ "content-type": "text/plain" }, "unsupported_media_type"],
    [{ "content-type": "application/jsonp" }, "unsupported_media_type"],
    [{ "content-encoding": "gzip" }, "unsupported_encoding"],
  ])("are refused with 415 for %j", async (headers, error) => {
    const host = await hostScene();
    const answered = await sendRawRequest(host, { headers: headers as Record<string, string> });
    expect([answered.status, errorCodeOf(answered)]).toEqual([415, error]);
    expect(host.seen).toHaveLength(0);
  });

  test("may have a content type with parameters and capitals", async () => {
    const host = await hostScene();
    const headers = { "content-type": "Application/JSON; charset=utf-8" };
    expect((await sendRawRequest(host, { headers })).status).toBe(200);
  });

  test("are refused with a token in the query, which is not logged", async () => {
    const host = await hostScene();
    const answered = await sendRawRequest(host, { path: "/mcp?a=1&access_token=0123456789abcdef" });
    expect(answered.status).toBe(400);
    expect(errorCodeOf(answered)).toBe("invalid_request");
    expect(answered.text).not.toContain("0123456789abcdef");
    expect(host.seen).toHaveLength(0);
    expect(host.lines).toMatchObject([{ method: "POST", path: "/mcp", status: 400 }]);
  });
});
