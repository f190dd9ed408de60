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

/** What has happened in a scene is there beside it. */
export type FilledScene = Scene & Filled;

export interface VisitOptions {
  /** Who signs in. Unless set: ada. */
  readonly name?: string;
  readonly scheme?: "light" | "dark";
  readonly width?: number;
  readonly height?: number;
}

/** Scenes over one kind of store and browsers that look at them, for the tests of one file. */
export const studioWorld = (store: Store) => {
  const database = store === "postgres" ? usePostgres() : undefined;
  let browser: Browser;
  const ends: (() => Promise<void>)[] = [];
  /** What the API did not tell the page, because it should not have happened. */
  const failures: unknown[] = [];
  let pages: { readonly page: Page; readonly context: BrowserContext; readonly troubles: string[] }[] = [];

  beforeAll(async () => {
    browser = await launchBrowser();
  });
  afterAll(async () => {
    await browser?.close();
  });
  // Declared behind those of the database, so that it comes before them: a runtime is closed while its tables are there.
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
    /** A shop in which nothing has happened. */
    empty: open,
    /** A shop in which everything has happened that there is a page for. */
    filled: async (more: SceneMore = {}): Promise<FilledScene> => {
      const scene = await open(more);
      return { ...scene, ...(await fillScene(scene)) };
    },
    /** A browser of its own, signed in by a link. */
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
    /** A browser of its own in which nobody has signed in. */
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
      // A refusal of the API and a server that is gone are what some tests are about.
      if (message.type() === "error" && !message.text().startsWith("Failed to load resource"))
        troubles.push(message.text());
    });
    pages.push({ page, context, troubles });
    return page;
  }
};

/** What a page showed when its test failed. */
const tell = async (page: Page): Promise<void> => {
  const shown = await page
    .locator("body")
    .ariaSnapshot({ timeout: 1_000 })
    .catch(() => "nothing");
  process.stderr.write(`\n${page.url()}\n${shown.slice(0, 6_000)}\n`);
};

export const sees = (locator: Locator): Promise<void> => locator.first().waitFor();

export const isGone = (locator: Locator): Promise<void> => locator.first().waitFor({ state: "hidden" });
