import { request } from "node:http";
import { afterEach, describe, expect, it } from "vitest";
import { type LoopbackRedirect, openLoopbackRedirect } from "./loopback-redirect.ts";

let waiting: LoopbackRedirect | undefined;

afterEach(() => waiting?.close());

const open = async (timeoutMs = 5_000): Promise<LoopbackRedirect> => {
  waiting = await openLoopbackRedirect({ path: "/once", port: 0, state: "right", timeoutMs });
  return waiting;
};

const withHost = (url: string, host: string): Promise<number> =>
  new Promise((resolve, reject) => {
    request(url, { headers: { host } }, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    })
      .on("error", reject)
      .end();
  });

describe("openLoopbackRedirect", () => {
  it("accepts one response with the right state, shows a plain page, and closes", async () => {
    const { url, answered } = await open();
    const page = await fetch(`${url}?state=right&code=abc&iss=https%3A%2F%2Fsso.example`);
    expect(page.headers.get("content-type")).toBe("text/plain; charset=utf-8");
    expect(page.headers.get("cache-control")).toBe("no-store");
    expect(await page.text()).toContain("signed in");
    expect(await answered).toEqual({ state: "right", code: "abc", iss: "https://sso.example" });
    await expect(fetch(`${url}?state=right&code=abc`)).rejects.toThrow();
  });

  it("ignores another state, path, method or host and repeated parameters", async () => {
    const { url, answered } = await open();
    const wrong = [
      fetch(`${url}?state=wrong&code=abc`),
      fetch(`${url}?code=abc`),
      fetch(`${url}x?state=right&code=abc`),
      fetch(`${url}?state=right&code=abc`, { method: "POST" }),
      fetch(`${url}?state=right&code=abc&code=def`),
      fetch(`${url}?state=right&state=wrong&code=abc`),
    ];
    for (const response of await Promise.all(wrong)) expect(response.status).toBe(404);
    expect(await withHost(`${url}?state=right&code=abc`, "attacker.example")).toBe(404);
    await fetch(`${url}?state=right&error=access_denied`);
    expect(await answered).toEqual({ state: "right", error: "access_denied" });
  });

  it("does not show request content on the page", async () => {
    const { url } = await open();
    const page = await fetch(`${url}?state=wrong&code=%3Cscript%3Ecanary`);
    expect(await page.text()).not.toContain("canary");
  });

  it("rejects and closes on timeout", async () => {
    const { url, answered } = await open(20);
    await expect(answered).rejects.toThrowError("the browser did not return from the sign-in");
    await expect(fetch(url)).rejects.toThrow();
  });

  it("rejects when the port is in use", async () => {
    const { url } = await open();
    const port = Number(new URL(url).port);
    await expect(
      openLoopbackRedirect({ path: "/", port, state: "x", timeoutMs: 5_000 }),
    ).rejects.toMatchObject({
      code: "EADDRINUSE",
    });
  });
});
