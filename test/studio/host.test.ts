import { connect } from "node:net";
import { studio } from "haft/studio";
import { describe, expect, it, onTestFinished } from "vitest";
import { Haft } from "../../src/runtime/haft.ts";
import { mountStudio } from "../../src/server/http/mount-studio.ts";
import { haft as commandLine } from "../cli/haft.ts";
import { hostScene } from "../kit/host-scene.ts";
import { waitFor } from "../kit/wait-for.ts";

const token = "ada-token-0123456789";

const mounted = async () => {
  const haft = await Haft.open({ principal: { agent: "clerk", allow: ["*"] } });
  const page = studio(haft, { base: "/studio" });
  onTestFinished(async () => {
    await page.close();
    await haft.close();
  });
  const principal = { agent: "ada", roles: ["studio:read"] };
  const host = await hostScene({
    auth: { kind: "tokens", tokens: [{ token, principal }] },
    ...mountStudio(page, "/studio", "tokens"),
  });
  const base = `http://127.0.0.1:${host.port}/studio`;
  const own = { "content-type": "application/json", "x-haft-studio": "1" };
  return { page, base, own };
};

describe("the Studio on a host", () => {
  it("answers a token with its scopes, and refuses a wrong one", async () => {
    const { base } = await mounted();
    const me = await fetch(`${base}/api/v1/me`, { headers: { authorization: `Bearer ${token}` } });
    expect(await me.json()).toMatchObject({ name: "ada", scopes: ["studio:read"] });
    expect((await fetch(`${base}/api/v1/me`)).status).toBe(401);
    expect(
      (await fetch(`${base}/api/v1/me`, { headers: { authorization: "Bearer wrong-token-0123456" } })).status,
    ).toBe(401);
    expect((await fetch(`http://${new URL(base).host}/mcp`, { method: "POST" })).status).toBe(401);
  });

  it("shows its page without a sign-in, signs in by a link once, and accepts the cookie", async () => {
    const { page, base, own } = await mounted();
    expect((await fetch(`${base}/`)).headers.get("content-security-policy")).toContain("default-src 'none'");
    const body = JSON.stringify({ token: page.link("grace").split("#token=")[1] });
    const signedIn = await fetch(`${base}/api/v1/sign-in`, { method: "POST", headers: own, body });
    expect(signedIn.status).toBe(200);
    const cookie = signedIn.headers.get("set-cookie")!.split(";")[0]!;
    const me = await fetch(`${base}/api/v1/me`, { headers: { cookie } });
    expect(await me.json()).toMatchObject({
      name: "grace",
      scopes: ["studio:read", "studio:approve", "studio:run"],
    });
    expect((await fetch(`${base}/api/v1/sign-in`, { method: "POST", headers: own, body })).status).toBe(401);
    const out = await fetch(`${base}/api/v1/sign-out`, {
      method: "POST",
      headers: { ...own, cookie },
      body: "{}",
    });
    expect(out.status).toBe(200);
    expect((await fetch(`${base}/api/v1/me`, { headers: { cookie } })).status).toBe(401);
  });

  it("answers unknown paths and methods without an internal error", async () => {
    const { base } = await mounted();
    expect((await fetch(`${base}/%ff`)).status).toBe(404);
    const { port } = new URL(base);
    const socket = connect(Number(port), "127.0.0.1");
    socket.end(`TRACE /studio/ HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nConnection: close\r\n\r\n`);
    let answer = "";
    for await (const piece of socket) answer += String(piece);
    expect(answer).toMatch(/^HTTP\/1\.1 405/);
  });

  it("accepts no token if the host has no authentication, whatever the roles of its caller", async () => {
    const principal = { agent: "clerk", allow: ["*"], roles: ["studio:read"] };
    const haft = await Haft.open({ principal });
    const page = studio(haft);
    onTestFinished(async () => {
      await page.close();
      await haft.close();
    });
    const host = await hostScene({ auth: { kind: "none", principal }, ...mountStudio(page, "", "none") });
    const headers = { authorization: "Bearer anything-0123456789" };
    expect((await fetch(`http://127.0.0.1:${host.port}/api/v1/calls`, { headers })).status).toBe(401);
  });

  it("is opened by haft studio, whose link signs in", async () => {
    const stop = new AbortController();
    let url = "";
    const running = commandLine(["studio", "--port", "0", "--json"], {
      signal: stop.signal,
      onOut: (text) => {
        url = JSON.parse(text).url;
      },
    });
    await waitFor(() => expect(url).not.toBe(""));
    const { origin, hash } = new URL(url);
    const response = await fetch(`${origin}/api/v1/sign-in`, {
      method: "POST",
      headers: { "content-type": "application/json", "x-haft-studio": "1" },
      body: JSON.stringify({ token: hash.slice("#token=".length) }),
    });
    expect(response.status).toBe(200);
    const cookie = response.headers.get("set-cookie")!.split(";")[0]!;
    const me = await fetch(`${origin}/api/v1/me`, { headers: { cookie } });
    // Apps are served under another name of this machine, whose frame accepts this Studio.
    const { appOrigin } = (await me.json()) as { readonly appOrigin: string };
    expect(new URL(appOrigin).hostname).toBe("localhost");
    const frame = await fetch(`${appOrigin}/?studio=${encodeURIComponent(origin)}`);
    expect(frame.headers.get("content-security-policy")).toContain(`frame-ancestors ${origin}`);
    expect((await fetch(`${appOrigin}/?studio=${encodeURIComponent(appOrigin)}`)).status).toBe(403);
    stop.abort();
    expect((await running).code).toBe(0);
  });

  it("is served by haft serve --http --studio next to the endpoint, and its link signs in", async () => {
    const stop = new AbortController();
    let output = "";
    const running = commandLine(["serve", "--http", "--studio", "--port", "0", "--json"], {
      signal: stop.signal,
      onOut: (text) => {
        output += text;
      },
    });
    const link = () => /haft studio is at ([^\s"]+)/.exec(output)?.[1];
    await waitFor(async () => expect(await link()).toBeDefined());
    const { origin, pathname, hash } = new URL(link()!);
    expect(pathname).toBe("/studio/");
    const response = await fetch(`${origin}/studio/api/v1/sign-in`, {
      method: "POST",
      headers: { "content-type": "application/json", "x-haft-studio": "1" },
      body: JSON.stringify({ token: hash.slice("#token=".length) }),
    });
    expect(response.status).toBe(200);
    const cookie = response.headers.get("set-cookie")!.split(";")[0]!;
    const me = await fetch(`${origin}/studio/api/v1/me`, { headers: { cookie } });
    expect(me.status).toBe(200);
    expect((await fetch(`${origin}/studio/api/v1/me`)).status).toBe(401);
    stop.abort();
    expect((await running).code).toBe(0);
  });
});
