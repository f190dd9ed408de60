import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { getRequestListener } from "@hono/node-server";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, it, onTestFinished } from "vitest";
import { buildPage } from "../../../examples/38-chat/build-page.ts";
import { chatScene } from "../../kit/chat-scene.ts";
import { pacedModel } from "../../kit/paced-model.ts";
import { launchBrowser } from "../kit/launch-browser.ts";

let folder = "";
let browser: Browser;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "haft-chat-page-"));
  await buildPage(folder);
  browser = await launchBrowser();
});

afterAll(async () => {
  await browser?.close();
  rmSync(folder, { recursive: true, force: true });
});

const types: Readonly<Record<string, string>> = { html: "text/html", js: "text/javascript", css: "text/css" };

/** Serves the example page and a handler on loopback. The user is read from a cookie. */
const served = async (script: Parameters<typeof pacedModel>[0]) => {
  const scene = chatScene();
  const userOf = (request: Request) => /user=(\w+)/.exec(request.headers.get("cookie") ?? "")?.[1];
  const { handle } = await scene.open(pacedModel(script), {
    handler: {
      principal: (request) => {
        const user = userOf(request);
        return user === undefined ? undefined : { agent: "desk", user, allow: ["*"] };
      },
    },
  });
  const listener = getRequestListener(async (request) => {
    const { pathname } = new URL(request.url);
    if (pathname.startsWith("/api/chat")) return await handle(request);
    const file = pathname === "/" ? "index.html" : pathname.slice(1);
    const type = types[file.split(".").at(-1) ?? ""];
    if (type === undefined) return new Response(null, { status: 404 });
    return new Response(readFileSync(join(folder, file)), { headers: { "content-type": type } });
  });
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const visit = async (user: string, at = address): Promise<Page> => {
    const context = await browser.newContext();
    onTestFinished(() => context.close());
    await context.addCookies([{ name: "user", value: user, url: address }]);
    const page = await context.newPage();
    await page.goto(at);
    return page;
  };
  return { ...scene, visit };
};

const say = async (page: Page, words: string): Promise<void> => {
  await page.getByRole("button", { name: "Send" }).waitFor();
  await page.getByLabel("Message").fill(words);
  await page.getByLabel("Message").press("Enter");
};

const sees = (page: Page, words: string): Promise<void> =>
  page.getByText(words, { exact: true }).last().waitFor({ timeout: 90_000 });

const gate = () => Promise.withResolvers<void>();

it("useChat resumes a stream after a reload and in a second tab, and hides the chat from another user", async () => {
  const [half, end] = [gate(), gate()];
  const call = { id: "call-1", tool: "find_order", input: '{"id":"7"}', index: 0 };
  const { visit } = await served([[call], ["It cost ", half.promise, "twelve ", end.promise, "euros."]]);
  const page = await visit("ada");
  await say(page, "What was order 7?");
  await sees(page, '→ {"id":"7","total":12}');
  await sees(page, "It cost");
  await page.reload();
  await sees(page, "It cost");
  half.resolve();
  await sees(page, "It cost twelve");
  const tab = await page.context().newPage();
  await tab.goto(page.url());
  await sees(tab, "It cost twelve");
  const other = await visit("bob", page.url());
  await other.getByText("Order desk").waitFor();
  expect(await other.locator("article").count()).toBe(0);
  end.resolve();
  for (const each of [page, tab]) {
    await sees(each, "It cost twelve euros.");
    await each.getByRole("button", { name: "Send" }).waitFor();
    expect(await each.locator("article").count()).toBe(2);
    expect(await each.locator(".card").count()).toBe(1);
  }
});

it("the buttons of the page approve and deny a call and stop an answer", async () => {
  const never = gate();
  const refund = (id: string, at: number) => [
    { id: `call-${at}`, tool: "refund", input: JSON.stringify({ id }), index: 0 },
  ];
  const { visit, refunds } = await served([
    refund("7", 1),
    ["Not paid back."],
    refund("8", 2),
    ["Paid back."],
    ["Once upon", never.promise],
  ]);
  const page = await visit("ada");
  await say(page, "Refund 7");
  await page.getByRole("button", { name: "Deny" }).click();
  await sees(page, "Not paid back.");
  await sees(page, "output denied");
  expect(refunds).toEqual([]);
  await say(page, "Refund 8");
  await page.getByRole("button", { name: "Allow" }).waitFor();
  await page.reload();
  await page.getByRole("button", { name: "Allow" }).click();
  await sees(page, "Paid back.");
  expect(refunds).toEqual(["8"]);
  await say(page, "A story");
  await sees(page, "Once upon");
  await page.getByRole("button", { name: "Stop" }).click();
  await page.getByRole("button", { name: "Send" }).waitFor();
  await page.reload();
  await sees(page, "Once upon");
  expect(await page.locator("article").count()).toBe(6);
});
