import { createSocket } from "node:dgram";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { Haft } from "haft";
import { agent } from "haft/agent";
import { type Studio, studio } from "haft/studio";
import type { Browser, Frame, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { openHttpHost } from "../../../src/server/http/http-host.ts";
import { mountStudio } from "../../../src/server/http/mount-studio.ts";
import { type FrameServer, openFrameServer } from "../../../src/server/studio-api/apps/frame-server.ts";
import type { StdioServer } from "../../../src/types/mcp.ts";
import { calls, says, scriptedModel } from "../../kit/scripted-model.ts";
import { waitFor } from "../../kit/wait-for.ts";
import { buildStudioPage } from "../kit/build-studio-page.ts";
import {
  type AttackTargets,
  attackPage,
  bypassPage,
  escapingPage,
  floodPage,
  leavingPage,
  postingPage,
  refreshingPage,
} from "../kit/hostile-app.ts";
import { launchBrowser } from "../kit/launch-browser.ts";
import { listingServer } from "../kit/mcp/gateway-scene.ts";

const packages = createRequire(import.meta.url);
const fromNpm = (name: string): StdioServer => ({
  command: process.execPath,
  args: [join(dirname(packages.resolve(`@modelcontextprotocol/${name}`)), "index.js"), "--stdio"],
  connectTimeoutMs: 60_000,
});

interface SeenRequest {
  readonly method: string;
  readonly path: string;
  readonly site: string | null;
  readonly hasCookie: boolean;
}

let folder: string;
let assets: string;
let browser: Browser;
let haft: Haft;
let made: Studio;
let frames: FrameServer;
let origin: string;
let targets: AttackTargets;
/** All requests to the Studio, and those to servers that no app declared. */
const seen: SeenRequest[] = [];
const escaped: string[] = [];
/** Responses of the host. */
const responses: string[] = [];
/** The cookie that a browser sends to another port of the same host. */
let cookieSeen: string | undefined;
const closers: (() => unknown)[] = [];

const app = (name: string, more: object = {}): object => ({
  name,
  description: "Shows something.",
  inputSchema: { type: "object" },
  _meta: { ui: { resourceUri: `ui://hostile/${name}.html`, ...more } },
});
const content = (text: string) => ({ content: [{ type: "text", text }] });

const everywhere = (csp: AttackTargets): object => {
  const all = ["*", "https:", "'unsafe-eval'", csp.studio, csp.outside, "http://localhost:*", "http://127.1"];
  return { connectDomains: all, resourceDomains: all, frameDomains: all, baseUriDomains: all };
};

const hostileServer = async (): Promise<StdioServer> => {
  const pages = {
    attack: {
      text: attackPage(targets),
      _meta: { ui: { csp: everywhere(targets), permissions: { camera: {} } } },
    },
    leave: { text: leavingPage(targets) },
    post: { text: postingPage(targets) },
    refresh: { text: refreshingPage(targets) },
    flood: { text: floodPage() },
    past: { text: bypassPage() },
    escape: { text: escapingPage() },
    big: { text: `<!doctype html><p>${"5 MB ".repeat(1_048_576)}</p>` },
    reaching: {
      text: "<!doctype html><p>Weather</p>",
      _meta: { ui: { csp: { connectDomains: ["https://api.example"] } } },
    },
    plain: { mimeType: "text/html", text: "<p>No App</p>" },
  };
  const scenario = {
    tools: [
      ...Object.keys(pages).map((name) => app(name)),
      { name: "touch", description: "Is touched.", inputSchema: { type: "object" } },
      app("secret", { visibility: ["model"] }),
      app("inside", { visibility: ["app"] }),
    ],
    pages: Object.fromEntries(
      Object.entries(pages).map(([name, page]) => {
        const uri = `ui://hostile/${name}.html`;
        return [uri, { contents: [{ uri, mimeType: "text/html;profile=mcp-app", ...page }] }];
      }),
    ),
    results: { touch: content("touched"), inside: content("inside"), attack: content("start") },
  };
  const file = join(folder, "hostile.json");
  await writeFile(file, JSON.stringify(scenario));
  return { ...listingServer({}), args: [...listingServer({}).args!.slice(0, 1), `@${file}`] };
};

const outsideServer = async (): Promise<Pick<AttackTargets, "outside" | "udpPort">> => {
  const server = createServer((request, response) => {
    if (request.url === "/attacker.html") {
      cookieSeen = request.headers.cookie;
      response.setHeader("content-type", "text/html").end("<p>Hello</p>");
    } else {
      escaped.push(`${request.method} ${request.url}`);
      response.setHeader("access-control-allow-origin", "*").end("out");
    }
  });
  server.on("upgrade", (request, socket) => {
    escaped.push(`upgrade ${request.url}`);
    socket.destroy();
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const udp = createSocket("udp4").on("message", () => escaped.push("udp"));
  udp.bind(0, "127.0.0.1");
  await once(udp, "listening");
  closers.push(
    () => server.close().closeAllConnections(),
    () => udp.close(),
  );
  return {
    outside: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    udpPort: udp.address().port,
  };
};

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "haft-apps-"));
  [assets, browser] = await Promise.all([buildStudioPage(), launchBrowser()]);
  const live: Studio = {
    fetch: (request, visit) => {
      const { pathname } = new URL(request.url);
      const { headers, method } = request;
      const site = headers.get("sec-fetch-site");
      seen.push({ method, path: pathname, site, hasCookie: headers.has("cookie") });
      return made.fetch(request, visit);
    },
    link: (name) => made.link(name),
    close: () => made.close(),
  };
  const principal = { agent: "clerk", allow: ["*"] };
  const mcp = { fetch: async () => new Response("", { status: 404 }), close: async () => {} };
  const host = await openHttpHost({
    mcp,
    port: 0,
    auth: { kind: "none", principal },
    onAccess: ({ method, path, status }) => responses.push(`${method} ${path} ${status}`),
    ...mountStudio(live, "", "none"),
  });
  origin = `http://127.0.0.1:${host.port}`;
  frames = await openFrameServer(() => [origin]);
  targets = { studio: origin, ...(await outsideServer()) };
  haft = (await Haft.open({
    principal,
    ledger: "sqlite::memory:",
    mcp: {
      lock: false,
      waitMs: 60_000,
      servers: {
        time: fromNpm("server-basic-vanillajs"),
        budget: fromNpm("server-budget-allocator"),
        debug: fromNpm("server-debug"),
        hostile: await hostileServer(),
        other: listingServer({
          tools: [{ name: "pay", description: "Pays.", inputSchema: { type: "object" } }],
          results: { pay: content("paid") },
        }),
      },
    },
  })) as Haft;
  const model = scriptedModel([calls(["time__get-time", {}]), says("It is late.")]);
  const desk = agent({ name: "desk", instructions: "Help.", model, tools: ["time/get-time"] });
  made = studio(haft, { assets, appOrigin: frames.origin, agents: [desk] });
  closers.push(
    () => host.close(),
    () => frames[Symbol.asyncDispose](),
    () => haft.close(),
    () => made.close(),
  );
});

afterAll(async () => {
  await browser?.close();
  for (const close of closers.toReversed()) await close();
  for (const each of [folder, assets]) await rm(each, { recursive: true, force: true });
});

/** A page signed in by a link. */
const visitor = async (): Promise<Page> => {
  const context = await browser.newContext({ locale: "en-US", viewport: { width: 1_100, height: 900 } });
  onTestFinished(() => context.close());
  const page = await context.newPage();
  await page.goto(origin + made.link("ada"));
  await page.waitForURL((url) => url.hash === "");
  return page;
};

/** Calls the tool by its form, without arguments. */
const callByForm = async (page: Page, key: string): Promise<void> => {
  await page.goto(`${origin}/tools/${encodeURIComponent(key)}`);
  await page.getByRole("button", { name: "Call", exact: true }).click();
};

const ofApp = (page: Page, server: string) =>
  page.getByRole("region", { name: `App of the server ${server}` });
/** The sandboxed inner frame. */
const inner = (page: Page, server: string) =>
  page.frameLocator(`iframe[title="App of the server ${server}"]`).frameLocator("iframe");
const innerFrame = async (page: Page): Promise<Frame> => {
  await waitFor(() => expect(page.frames().find((frame) => frame.url() === "about:srcdoc")).toBeDefined());
  return page.frames().find((frame) => frame.url() === "about:srcdoc")!;
};

const callsOf = async (tool: string): Promise<number> => (await haft.log({ tool })).length;

describe("npm apps in the Studio", () => {
  it("show the result, and call tools of their server after approval", async () => {
    const page = await visitor();
    const before = await callsOf("time/get-time");
    await callByForm(page, "time/get-time");
    const time = inner(page, "time").locator("#server-time");
    await time.filter({ hasText: /^\d{4}-\d\d-\d\dT/ }).waitFor();
    const first = await time.textContent();
    const button = inner(page, "time").getByRole("button", { name: "Get Server Time" });
    await button.click();
    const question = ofApp(page, "time").getByRole("group", { name: "Request of the App" });
    await question.getByText("tools of the server time").waitFor();
    expect(await question.textContent()).toContain("get-time");
    expect(await callsOf("time/get-time")).toBe(before + 1);
    await question.getByRole("button", { name: /^Allow/ }).click();
    await waitFor(async () => expect(await time.textContent()).not.toBe(first));
    const second = await time.textContent();
    await button.click();
    await waitFor(async () => expect(await time.textContent()).not.toBe(second));
    expect(await question.count()).toBe(0);
    const entries = await haft.log({ tool: "time/get-time" });
    expect(entries).toHaveLength(before + 3);
    expect(entries.map(({ operator }) => operator).slice(-3)).toEqual([
      "ada",
      "ada by App ui://get-time/mcp-app.html",
      "ada by App ui://get-time/mcp-app.html",
    ]);
  });

  it("open links and send messages only after approval", async () => {
    const page = await visitor();
    await callByForm(page, "time/get-time");
    const app = inner(page, "time");
    const question = ofApp(page, "time").getByRole("group", { name: "Request of the App" });
    await app.getByRole("button", { name: "Open Link" }).click();
    await question.getByText("https://modelcontextprotocol.io/", { exact: true }).waitFor();
    const link = question.getByRole("link", { name: "Open" });
    expect(await link.getAttribute("rel")).toBe("noopener noreferrer");
    await question.getByRole("button", { name: "Deny" }).click();
    await app.getByRole("button", { name: "Send Message" }).click();
    await question.getByText("This is message text.").waitFor();
    await question.getByRole("button", { name: "Deny" }).click();
    expect(page.context().pages()).toHaveLength(1);
    await app.getByRole("button", { name: "Send Log" }).click();
    await ofApp(page, "time").getByText("Log (1 line)").waitFor();
  });

  it("are rendered in their frame, receive the theme, and are torn down", async () => {
    const page = await visitor();
    const logged: string[] = [];
    page.on("console", (message) => logged.push(message.text()));
    await callByForm(page, "budget/get-budget-data");
    await inner(page, "budget").getByRole("heading", { name: "Budget Allocator" }).waitFor();
    await inner(page, "budget").locator("canvas").first().waitFor();
    const box = await page.locator("iframe").boundingBox();
    expect(box!.height).toBeGreaterThan(240);
    expect(box!.height).toBeLessThanOrEqual(800);
    await page
      .getByRole("radio", { name: /dark/i })
      .or(page.getByRole("button", { name: /dark/i }))
      .first()
      .click();
    await waitFor(() => expect(logged.join("\n")).toContain("host-context-changed"));
    await page.getByRole("link", { name: "Servers" }).click();
    await page.getByRole("heading", { name: "Servers", level: 1 }).waitFor();
    expect(logged.join("\n")).toContain("ui/resource-teardown");
    expect(page.frames()).toHaveLength(1);
    await page.getByText("ui://budget-allocator/mcp-app.html").waitFor();
  });

  it("call tools for apps only, and are shown on the page of a call", async () => {
    const page = await visitor();
    const logged: string[] = [];
    page.on("console", (message) => logged.push(message.text()));
    await callByForm(page, "debug/debug-tool");
    await ofApp(page, "debug")
      .getByRole("button", { name: /^Allow/ })
      .click();
    await waitFor(async () => expect(await callsOf("debug/debug-log")).toBeGreaterThan(0));
    await page.getByRole("link", { name: "View call", exact: true }).click();
    await inner(page, "debug").getByText("Debug", { exact: false }).first().waitFor();
    expect(page.url()).toContain("/calls/");
  });

  it("are shown in a chat, and put their text into the message of the user", async () => {
    const page = await visitor();
    await page.goto(`${origin}/agents`);
    const message = page.getByRole("textbox", { name: "Message to desk" });
    await message.fill("What time is it?");
    await page.getByRole("button", { name: "Send", exact: true }).click();
    await inner(page, "time")
      .locator("#server-time")
      .filter({ hasText: /^\d{4}-/ })
      .waitFor();
    await page.getByText("It is late.").waitFor();
    await inner(page, "time").getByRole("button", { name: "Send Message" }).click();
    await ofApp(page, "time").getByRole("button", { name: "Use as message" }).click();
    await waitFor(async () => expect(await message.inputValue()).toBe("This is message text."));
    expect(await page.getByText("This is message text.").count()).toBe(1);
  });

  it("have a cross-site frame without cookies", async () => {
    const page = await visitor();
    const asked = page.waitForRequest((request) => request.url().startsWith(frames.origin));
    await callByForm(page, "time/get-time");
    const request = await asked;
    const headers = await request.allHeaders();
    expect(headers.cookie).toBeUndefined();
    expect(headers["sec-fetch-site"]).toBe("cross-site");
    expect(headers.referer).toBeUndefined();
    expect((await page.context().cookies()).map(({ name, domain }) => [name, domain])).toEqual([
      [`haft-studio-${new URL(origin).port}`, "127.0.0.1"],
    ]);
  });
});

describe("hostile app", () => {
  it.each([
    ["", true],
    [", in a browser without Connection-Allowlist", false],
  ])("reaches nothing outside its frame in forty ways%s", async (_, knowsAllowlist) => {
    const page = await visitor();
    if (!knowsAllowlist) {
      await page.route(`${frames.origin}/**`, async (route) => {
        const response = await route.fetch();
        const { "connection-allowlist": _header, ...headers } = response.headers();
        await route.fulfill({ response, headers });
      });
    }
    const dialogs: string[] = [];
    page.on("dialog", (dialog) => dialogs.push(dialog.message()));
    const since = seen.length;
    await callByForm(page, "hostile/attack");
    const frame = await innerFrame(page);
    await waitFor(async () => expect(await frame.evaluate("window.isDone")).toBe(true));
    const { tooEarly, unknownMethod, script, file, hiddenName, peer, ...ways } =
      await frame.evaluate<Record<string, unknown>>("outcomes");
    expect(Object.keys(ways).length).toBeGreaterThanOrEqual(35);
    expect(
      Object.entries(ways).filter(([, came]) => came !== "refused" && came !== "nothing happened"),
    ).toEqual([]);
    expect([tooEarly, unknownMethod]).toEqual(['"Send ui/initialize first."', -32_601]);
    expect([script, file, hiddenName]).toEqual(Array.from({ length: 3 }, () => '{"isError":true}'));
    expect(peer).toBe("tried");
    // CSP alone does not restrict WebRTC, see docs/limits.md.
    expect(escaped.splice(0).filter((way) => knowsAllowlist || way !== "udp")).toEqual([]);
    expect(seen.slice(since).filter(({ site }) => site !== "same-origin" && site !== "none")).toEqual([]);
    expect(dialogs).toEqual([]);
    expect(page.context().pages()).toHaveLength(1);
    expect([page.url(), await page.title()]).toEqual([
      `${origin}/tools/hostile%2Fattack`,
      "hostile/attack · Haft Studio",
    ]);
    // The maximum height of an app.
    expect((await page.locator("iframe").boundingBox())!.height).toBe(800);
    await ofApp(page, "hostile").getByText("Some requested origins are not allowed").click();
    await ofApp(page, "hostile").getByText("is on this machine, which Apps may not access").first().waitFor();
    expect(await callsOf("hostile/touch")).toBe(0);
    expect(await callsOf("other/pay")).toBe(0);
  });

  it("calls nothing before approval, nothing of other servers, and nothing for models only", async () => {
    const page = await visitor();
    await callByForm(page, "hostile/attack");
    const frame = await innerFrame(page);
    await waitFor(async () => expect(await frame.evaluate("window.isDone")).toBe(true));
    const question = ofApp(page, "hostile").getByRole("group", { name: "Request of the App" });
    const call = (name: string) =>
      frame.evaluate<{ error?: { message: string }; result?: { content: unknown } }>(`call("${name}")`);
    const denied = call("touch");
    await question.getByRole("button", { name: "Deny" }).click();
    expect((await denied).error?.message).toBe("The user did not allow it.");
    expect(await callsOf("hostile/touch")).toBe(0);
    const allowed = call("touch");
    await question.getByRole("button", { name: /^Allow/ }).click();
    expect((await allowed).result?.content).toEqual([{ type: "text", text: "touched" }]);
    expect((await call("inside")).result?.content).toEqual([{ type: "text", text: "inside" }]);
    for (const name of ["pay", "other/pay", "other__pay", "read_resource", "hostile/touch", "read_result"]) {
      expect((await call(name)).error?.message, name).toContain("can only call tools of its own server");
    }
    expect((await call("secret")).error?.message).toContain("does not allow Apps to call");
    expect([await callsOf("other/pay"), await callsOf("hostile/secret")]).toEqual([0, 0]);
    const read = await frame.evaluate<{ result?: { contents: readonly { readonly uri: string }[] } }>(
      'read("ui://hostile/escape.html")',
    );
    expect(read.result?.contents[0]?.uri).toBe("ui://hostile/escape.html");
    // Its text is shown escaped, and after three denials the user is not asked again.
    for (let times = 0; times < 3; times += 1) {
      const asked = frame.evaluate('openLink("https://evil.example/?a=<b>\\u202e")');
      await question.getByText("https://evil.example/").waitFor();
      await question.getByRole("button", { name: "Deny" }).click();
      expect(await asked).toMatchObject({ result: { isError: true } });
    }
    expect(await frame.evaluate('openLink("https://evil.example/")')).toMatchObject({
      result: { isError: true },
    });
    expect(await question.count()).toBe(0);
  });

  it.each([
    ["leaves its page", "leave", "it navigated away from its page"],
    ["redirects itself to another page", "refresh", "it navigated away from its page"],
    ["posts a form to the Studio", "post", "it navigated away from its page"],
    ["sends ten thousand messages a second", "flood", "it sent too many messages"],
    ["sends messages that bypass its frame", "past", "it sent messages that bypass its frame"],
  ])("is closed when it %s", async (_, name, words) => {
    const page = await visitor();
    const since = seen.length;
    const touched = await callsOf("hostile/touch");
    await callByForm(page, `hostile/${name}`);
    await ofApp(page, "hostile").getByText(words).waitFor({ timeout: 90_000 });
    expect(page.frames()).toHaveLength(1);
    // Without Connection-Allowlist a UDP packet may still arrive.
    expect(escaped.filter((way) => way !== "udp")).toEqual([]);
    expect(seen.slice(since).filter(({ site }) => site !== "same-origin" && site !== "none")).toEqual([]);
    expect(await callsOf("hostile/touch")).toBe(touched);
    // The page continues normally.
    await page.getByRole("link", { name: "Overview" }).click();
    await page.getByRole("heading", { name: "Overview", level: 1 }).waitFor();
  });

  it("cannot escape attributes and tags", async () => {
    const page = await visitor();
    await callByForm(page, "hostile/escape");
    await inner(page, "hostile").locator("#end").waitFor();
    expect(await page.title()).toBe("hostile/escape · Haft Studio");
    expect(page.frames()).toHaveLength(3);
  });

  it("is not shown when it is too large or its resource is not an app page", async () => {
    const page = await visitor();
    await callByForm(page, "hostile/big");
    await ofApp(page, "hostile").getByText("has more than 4194304 characters").waitFor();
    await callByForm(page, "hostile/plain");
    await ofApp(page, "hostile").getByText("is not the page of an App").waitFor();
    expect(page.frames()).toHaveLength(1);
  });

  it("that needs the network is shown after the user sees its targets", async () => {
    const page = await visitor();
    await callByForm(page, "hostile/reaching");
    await ofApp(page, "hostile").getByText("https://api.example").waitFor();
    expect(page.frames()).toHaveLength(1);
    const answered = page.waitForResponse((response) => response.url().startsWith(frames.origin));
    await ofApp(page, "hostile").getByRole("button", { name: "Show App" }).click();
    const headers = await (await answered).allHeaders();
    expect(headers["content-security-policy"]).toContain("connect-src https://api.example;");
    expect(headers["connection-allowlist"]).toBe('("https://api.example");webrtc=block;redirects=allow');
    await inner(page, "hostile").getByText("Weather").waitFor();
  });
});

describe("page on another port of the host", () => {
  it("receives the session cookie, and is refused for reads and writes", async () => {
    const page = await visitor();
    const stranger = await page.context().newPage();
    await stranger.goto(`${targets.outside}/attacker.html`);
    expect(cookieSeen).toMatch(/^haft-studio-\d+=/);
    responses.length = 0;
    const tried = await stranger.evaluate<readonly string[]>(`(async () => {
      const send = (path, init = {}) =>
        fetch("${origin}/api/v1" + path, { credentials: "include", ...init })
          .then((response) => response.text(), () => "").then((text) => text.slice(0, 100));
      const text = { method: "POST", mode: "no-cors", body: "{}" };
      return [await send("/calls"), await send("/calls", { mode: "no-cors" }), await send("/sign-out", text)];
    })()`);
    expect(tried).toEqual(["", "", ""]);
    const refused = (): readonly string[] => responses.filter((line) => line.endsWith(" 403"));
    await waitFor(async () =>
      expect(await refused()).toEqual([
        "GET /api/v1/calls 403",
        "GET /api/v1/calls 403",
        "POST /api/v1/sign-out 403",
      ]),
    );
    // It can neither use the frame of apps nor embed the Studio.
    const received = await stranger.evaluate<readonly unknown[]>(`(async () => {
      const received = [];
      addEventListener("message", ({ data }) => received.push(data));
      const load = (src) => new Promise((resolve) => {
        const frame = Object.assign(document.createElement("iframe"), { src, onload: resolve });
        document.body.append(frame);
      });
      await load("${frames.origin}/?studio=${encodeURIComponent(origin)}");
      await load("${frames.origin}/?studio=" + encodeURIComponent(location.origin));
      await load("${origin}/");
      return received;
    })()`);
    expect(received).toEqual([]);
    const framed = stranger.frames().slice(1);
    expect(framed.map((frame) => frame.url())).toEqual(
      Array.from({ length: 3 }, () => "chrome-error://chromewebdata/"),
    );
    expect((await page.context().cookies()).length).toBe(1);
    expect(await page.evaluate('fetch("/api/v1/me").then(({ status }) => status)')).toBe(200);
  });
});
