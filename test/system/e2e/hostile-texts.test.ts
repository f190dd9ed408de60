import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { hostileTexts } from "../../kit/hostile-texts.ts";
import { launchBrowser } from "../kit/launch-browser.ts";
import { openHostileScene } from "./kit/hostile-scene.ts";

const places = [
  "/",
  "/?by=agent",
  "/?by=tenant",
  "/calls",
  "/runs",
  "/approvals",
  "/approvals?status=all",
  "/tools",
  "/tools?query=%3Cscript%3Ehit()%3C/script%3E",
  "/tools/echo",
  "/tools/breaks",
  "/tools/asks",
  "/tools/hostile%2Ft1",
  "/servers",
  "/servers/hostile/review",
  "/servers/named/review",
  "/permissions",
  "/agents",
  "/experiments",
  "/calls/%3Cscript%3Ehit()%3C%2Fscript%3E",
  "/nowhere/%3Cimg%20src=x%20onerror=hit()%3E",
];

describe("forty hostile texts", () => {
  let browser: Browser;
  let scene: Awaited<ReturnType<typeof openHostileScene>>;
  let page: Page;
  let folder: string;
  const outside: string[] = [];

  beforeAll(async () => {
    expect(new Set(hostileTexts).size).toBe(40);
    folder = mkdtempSync(join(tmpdir(), "haft-hostile-"));
    scene = await openHostileScene(folder, inject("builtPage"));
    browser = await launchBrowser();
    const context = await browser.newContext({ locale: "en-US" });
    await context.addInitScript({ path: fileURLToPath(new URL("kit/find-traces.js", import.meta.url)) });
    page = await context.newPage();
    page.on("dialog", (dialog) => {
      outside.push("dialog");
      void dialog.dismiss();
    });
    page.on("request", (request) => {
      const { origin, protocol } = new URL(request.url());
      if (origin !== scene.origin && protocol !== "data:") outside.push(request.url());
    });
    await page.goto(scene.link(hostileTexts[0]!));
    await page.getByRole("heading", { level: 1, name: "Overview" }).waitFor();
  });
  afterAll(async () => {
    await browser?.close();
    await scene?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const look = async (path: string): Promise<void> => {
    await page.goto(scene.origin + path);
    await page.getByRole("heading", { level: 1 }).waitFor();
    await page.getByRole("main").getByText("Loading").waitFor({ state: "hidden" });
    expect(await page.evaluate("findTraces()"), path).toEqual([]);
    expect(outside, path).toEqual([]);
  };

  it("are rendered as text on every page, with invisible characters made visible", async () => {
    for (const path of places) await look(path);
    await look(`/runs/${scene.runId}`);
  });

  it("are not executed as arguments, results and errors of a call", async () => {
    for (const { entryId } of await scene.haft.log()) await look(`/calls/${encodeURIComponent(entryId)}`);
  }, 240_000);

  it("are not executed in an approval request and its edit form", async () => {
    for (const { id } of (await scene.haft.approvals({ status: "waiting" })).slice(0, 40)) {
      await page.goto(`${scene.origin}/approvals?id=${encodeURIComponent(id)}`);
      await page.getByRole("button", { name: "Edit", exact: true }).click();
      await page.getByRole("button", { name: "Approve with changes" }).waitFor();
      expect(await page.evaluate("findTraces()")).toEqual([]);
    }
    expect(outside).toEqual([]);
  });

  it("are not executed in a chat", async () => {
    await page.goto(`${scene.origin}/agents`);
    await page.getByRole("textbox", { name: /^Message to/ }).fill(hostileTexts.join(" "));
    await page.getByRole("button", { name: "Send" }).click();
    await page.getByRole("link", { name: "View run" }).waitFor();
    expect(await page.evaluate("findTraces()")).toEqual([]);
    expect(outside).toEqual([]);
  });

  it("of five megabytes are loaded in parts, with less than a megabyte in the page", async () => {
    for (const callId of ["long-input", "long-result"]) {
      const [entry] = await scene.haft.log({ callId });
      await look(`/calls/${encodeURIComponent(entry!.entryId)}`);
      const more = page.getByRole("button", { name: /^(Show more|Load full text)/ });
      for (let i = 0; i < 3 && (await more.count()) > 0; i += 1) await more.first().click();
      expect(await page.evaluate("findTraces()")).toEqual([]);
      expect(await page.evaluate("document.body.textContent.length")).toBeLessThan(1_000_000);
    }
  });
});
