import { request as httpRequest } from "node:http";
import { describe, expect, it, onTestFinished } from "vitest";
import { appFrame } from "./app-frame.ts";
import { openFrameServer } from "./frame-server.ts";

const studio = "https://studio.example";
const frame = appFrame({ studios: [studio] });
const at = (query: string, init: RequestInit = {}) =>
  frame.fetch(new Request(`https://apps.example${query}`, init));

describe("frame of apps", () => {
  it("is one document for the configured Studio and refused for all others", async () => {
    const shown = await at(`/?studio=${encodeURIComponent(studio)}`);
    expect([shown.status, shown.headers.get("content-type")]).toEqual([200, "text/html; charset=utf-8"]);
    expect(await shown.text()).toContain('const studio = "https://studio.example";');
    expect(shown.headers.get("set-cookie")).toBeNull();
    for (const [query, status] of [
      ["/", 403],
      ["/?studio=https://evil.example", 403],
      ["/?studio=https://studio.example.evil.example", 403],
      [`/?studio=${encodeURIComponent(`${studio}/`)}`, 403],
      ["/api/v1/me", 404],
      ["/index.html", 404],
    ] as const) {
      const refused = await at(query);
      expect(refused.status, query).toBe(status);
      expect(refused.headers.get("content-security-policy")).toBe(
        "default-src 'none'; frame-ancestors 'none'",
      );
    }
    const posted = await at(`/?studio=${encodeURIComponent(studio)}`, { method: "POST", body: "x" });
    expect(posted.status).toBe(405);
  });

  it("validates the origins in its address", async () => {
    const query = new URLSearchParams({ studio, connect: "*", resource: "https://cdn.test; script-src *" });
    query.append("connect", "https://api.test");
    query.append("connect", "https://studio.example");
    query.append("frame", "https://apps.example");
    const policy = (await at(`/?${query}`)).headers.get("content-security-policy")!;
    expect(policy).toContain("connect-src https://api.test;");
    expect(policy).toContain("script-src 'unsafe-inline';");
    expect(policy).toContain("frame-src 'none';");
    expect(policy).toContain("frame-ancestors https://studio.example");
  });

  it("refuses options that are not origins", () => {
    for (const studios of [
      ["studio.example"],
      ["https://studio.example/"],
      "https://studio.example",
      undefined,
    ]) {
      expect(() => appFrame({ studios } as never), String(studios)).toThrow(
        /`studios` must be an array of origins/,
      );
    }
    expect(() => appFrame({ studios: [], more: 1 } as never)).toThrow(/more/);
  });
});

describe("frame server on this machine", () => {
  it("answers on both loopback addresses, and only for the host name localhost", async () => {
    const opened = await openFrameServer(() => ["http://127.0.0.1:7334"]);
    onTestFinished(() => opened[Symbol.asyncDispose]());
    const { port, hostname } = new URL(opened.origin);
    expect(hostname).toBe("localhost");
    const ask = (host: string, address = "127.0.0.1", method = "GET"): Promise<number | undefined> =>
      new Promise((resolve, reject) => {
        const path = `/?studio=${encodeURIComponent("http://127.0.0.1:7334")}`;
        httpRequest({ host: address, port, path, method, headers: { host } }, (response) => {
          response.resume();
          resolve(response.statusCode);
        })
          .on("error", reject)
          .end();
      });
    expect(await ask(`localhost:${port}`)).toBe(200);
    expect(await ask(`localhost:${port}`, "127.0.0.1", "HEAD")).toBe(200);
    expect(await ask(`localhost:${port}`, "127.0.0.1", "DELETE")).toBe(405);
    for (const host of [`127.0.0.1:${port}`, "evil.example", `localhost.evil.example:${port}`]) {
      expect(await ask(host), host).toBe(403);
    }
    // On a machine without IPv6 no other process can use this address either.
    const other = await ask(`localhost:${port}`, "::1").catch((error: NodeJS.ErrnoException) => error.code);
    expect([200, "EADDRNOTAVAIL", "EAFNOSUPPORT", "ECONNREFUSED"]).toContain(other);
  });
});
