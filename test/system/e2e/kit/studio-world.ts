import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser, BrowserContext, Locator, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, expect, inject } from "vitest";
import { launchBrowser } from "../../kit/launch-browser.ts";
import { usePostgres } from "../../kit/use-postgres.ts";
import { type Filled, fillScene } from "./fill-scene.ts";
import { openScene, type Scene, type SceneOptions } from "./scene.ts";

export type Store = "sqlite" | "postgres";

type SceneMore = Pick<SceneOptions, "hasFleet" | "roles">;

/** A scene together with what was filled into it. */
export type FilledScene = Scene & Filled;

export interface VisitOptions {
  /** The user to sign in. Default: ada. */
  readonly name?: string;
  readonly scheme?: "light" | "dark";
  readonly width?: number;
  readonly height?: number;
}

/** Scenes over one kind of store, and browsers for them, for the tests of one file. */
export const studioWorld = (store: Store) => {
  const database = store === "postgres" ? usePostgres() : undefined;
  let browser: Browser;
  const ends: (() => Promise<void>)[] = [];
  /** Unexpected errors that the API did not send to the page. */
  const failures: unknown[] = [];
  let pages: { readonly page: Page; readonly context: BrowserContext; readonly troubles: string[] }[] = [];

  beforeAll(async () => {
    browser = await launchBrowser();
  });
  afterAll(async () => {
    await browser?.close();
  });
  // Declared after the database hooks, so that it runs before them and closes runtimes while their tables
  // exist.
  afterEach(async ({ task }) => {
    const looked = pages;
    pages = [];
    if (task.result?.state === "fail") for (const { page } of looked) await tell(page);
    await Promise.all(looked.map(({ context }) => context.close()));
    for (const end of ends.splice(0).reverse()) await end();
    expect(looked.flatMap(({ troubles }) => troubles)).toEqual([]);
    expect(failures.splice(0)).toEqual([]);
  });

  const open = async (more: SceneMore = {}): Promise<Scene> => {
    const { hasFleet = false } = more;
    const folder = mkdtempSync(join(tmpdir(), "haft-e2e-"));
    const ledger =
      database === undefined
        ? `sqlite:${join(folder, "shop.db")}`
        : await (hasFleet ? database.withQueue() : database.migrated());
    const scene = await openScene({ ledger, folder, assets: inject("builtPage"), ...more });
    ends.push(async () => {
      await scene.close();
      failures.push(...scene.errors);
      rmSync(folder, { recursive: true, force: true });
    });
    return scene;
  };
  return {
    /** An empty shop. */
    empty: open,
    /** A shop with data for every page. */
    filled: async (more: SceneMore = {}): Promise<FilledScene> => {
      const scene = await open(more);
      return { ...scene, ...(await fillScene(scene)) };
    },
    /** A new browser context, signed in by a link. */
    visit: async (
      scene: Pick<Scene, "link" | "origin">,
      path = "/",
      { name = "ada", scheme = "light", width = 1_280, height = 900 }: VisitOptions = {},
    ): Promise<Page> => {
      const page = await newPage({ scheme, width, height });
      await page.goto(scene.link(name));
      await page.getByRole("heading", { level: 1, name: "Overview" }).waitFor();
      if (path !== "/") await page.goto(scene.origin + path);
      return page;
    },
    /** A new browser context without sign-in. */
    stranger: () => newPage({ scheme: "light", width: 1_280, height: 900 }),
  };

  async function newPage({ scheme, width, height }: Required<Omit<VisitOptions, "name">>): Promise<Page> {
    const context = await browser.newContext({
      locale: "en-US",
      colorScheme: scheme,
      viewport: { width, height },
      permissions: ["clipboard-read", "clipboard-write"],
    });
    context.setDefaultTimeout(90_000);
    const page = await context.newPage();
    const troubles: string[] = [];
    page.on("pageerror", (error) => troubles.push(String(error)));
    page.on("console", (message) => {
      // API errors and lost servers are expected in some tests.
      if (message.type() === "error" && !message.text().startsWith("Failed to load resource"))
        troubles.push(message.text());
    });
    pages.push({ page, context, troubles });
    return page;
  }
};

/** Prints the page of a failed test. */
const tell = async (page: Page): Promise<void> => {
  const shown = await page
    .locator("body")
    .ariaSnapshot({ timeout: 1_000 })
    .catch(() => "nothing");
  process.stderr.write(`\n${page.url()}\n${shown.slice(0, 6_000)}\n`);
};

export const sees = (locator: Locator): Promise<void> => locator.first().waitFor();

export const isGone = (locator: Locator): Promise<void> => locator.first().waitFor({ state: "hidden" });
