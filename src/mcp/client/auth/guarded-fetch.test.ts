import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { type AuthEgressOptions, authUrlProblem, createGuardedClient, toFetch } from "./guarded-fetch.ts";

const started: Server[] = [];

const listen = (answer: RequestListener): Promise<string> =>
  new Promise((resolve) => {
    const server = createServer(answer);
    started.push(server);
    server.listen(0, "127.0.0.1", () =>
      resolve(`http://127.0.0.1:${(server.address() as AddressInfo).port}`),
    );
  });

afterEach(() => {
  for (const server of started.splice(0)) {
    server.close();
    server.closeAllConnections();
  }
});

const createGuardedFetch = (...args: Parameters<typeof createGuardedClient>) =>
  toFetch(createGuardedClient(...args));

const outside = "https://mcp.example/mcp";

describe("createGuardedClient", () => {
  it("allows loopback addresses when the MCP server is on loopback", async () => {
    const origin = await listen((request, response) => {
      let body = "";
      request.on("data", (chunk) => {
        body += chunk;
      });
      request.on("end", () => response.end(`${request.method} ${request.headers["content-type"]} ${body}`));
    });
    const fetch = createGuardedFetch("http://localhost:1/mcp");
    const response = await fetch(`${origin}/token`, {
      method: "POST",
      headers: { "content-type": "application/x-www-form-urlencoded" },
      body: new URLSearchParams({ a: "1 2" }),
    });
    expect(await response.text()).toBe("POST application/x-www-form-urlencoded a=1+2");
  });

  it.each([
    "http://127.0.0.1:9/token",
    "http://localhost/token",
    "http://[::1]/token",
    "https://localhost/token",
    "http://sso.example/token",
    "https://user:password@sso.example/token",
    "ftp://sso.example/token",
  ])("rejects %s for a remote MCP server", async (url) => {
    await expect(createGuardedFetch(outside)(url)).rejects.toMatchObject({ code: "outside_refused" });
  });

  it("rejects names that resolve to private addresses unless the operator allows them", async () => {
    const to =
      (address: string): NonNullable<AuthEgressOptions["lookup"]> =>
      (_name, answer) =>
        answer(null, [{ address, family: 4 }]);
    await expect(
      createGuardedFetch(outside, { lookup: to("10.0.0.7") })("https://sso.example/token"),
    ).rejects.toMatchObject({ code: "outside_refused" });
    // The request reaches the server, which does not speak TLS. The guard no longer rejects it.
    const { port } = new URL(await listen(() => {}));
    const opened = createGuardedFetch(outside, { lookup: to("127.0.0.1"), allow: [`sso.example:${port}`] });
    await expect(opened(`https://sso.example:${port}/token`)).rejects.toMatchObject({ code: "failed" });
  });

  it("follows no redirects", async () => {
    const origin = await listen((_request, response) =>
      response.writeHead(307, { location: "https://attacker.example/" }).end(),
    );
    await expect(createGuardedFetch(origin)(`${origin}/token`)).rejects.toMatchObject({
      code: "outside_refused",
    });
  });

  it("rejects a response that is larger than the limit", async () => {
    const origin = await listen((_request, response) => response.end("x".repeat(1_048_577)));
    await expect(createGuardedFetch(origin)(`${origin}/token`)).rejects.toMatchObject({
      code: "outside_refused",
    });
  });

  it("times out", async () => {
    const origin = await listen(() => {});
    await expect(createGuardedFetch(origin, { timeoutMs: 30 })(`${origin}/token`)).rejects.toMatchObject({
      code: "timed_out",
    });
  });
});

describe("authUrlProblem", () => {
  it.each(["javascript:alert(1)", "file:///etc/passwd", "vbscript:x", "http://sso.example/", "not a url"])(
    "rejects %s",
    (url) => {
      expect(authUrlProblem(url, new URL(outside))).toBeDefined();
    },
  );
  it("accepts an https: page", () => {
    expect(authUrlProblem("https://sso.example/authorize?x=1", new URL(outside))).toBeUndefined();
  });
});
