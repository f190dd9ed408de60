import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface, type Interface } from "node:readline";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { gzipSync } from "node:zlib";
import { installSystemPackages } from "../scripts/system-packages.ts";
import type { Browser, Page } from "../test/system/kit/launch-browser.ts";
import { round, spread, table, withRange } from "./numbers.ts";
import { fillSqlite } from "./studio/fill-sqlite.ts";
import { type Watched, watchPage } from "./studio/watch-page.ts";

/**
 * Measures the Studio page in a browser over a SQLite ledger with a million calls: time until it can be used,
 * size of its scripts, and the longest task while scrolling through all calls and during a thousand new calls
 * per second. The page must be built: `npm run build`.
 */
const { values } = parseArgs({
  options: {
    calls: { type: "string", default: "1000000" },
    rate: { type: "string", default: "1000" },
    seconds: { type: "string", default: "15" },
    rounds: { type: "string", default: "5" },
    /** An existing ledger. */
    file: { type: "string" },
    smoke: { type: "boolean", default: false },
  },
});
const calls = values.smoke ? 20_000 : Number(values.calls);
const rate = values.smoke ? 100 : Number(values.rate);
const seconds = values.smoke ? 3 : Number(values.seconds);
const rounds = values.smoke ? 1 : Number(values.rounds);

installSystemPackages();
const { launchBrowser } = await import("../test/system/kit/launch-browser.ts");

const key = "5a".repeat(32);
process.env.HAFT_LEDGER_KEY = key;
const folder = await mkdtemp(join(tmpdir(), "haft-bench-studio-"));
const file = values.file ?? join(folder, "haft.db");
if (values.file === undefined) await fillSqlite({ file, calls, days: 30, key, now: Date.now() });
const ledger = `sqlite:${file}`;
const assets = fileURLToPath(new URL("../dist/studio", import.meta.url));

const program = (name: string, ...words: string[]): ChildProcess =>
  spawn(process.execPath, [fileURLToPath(new URL(`studio/${name}`, import.meta.url)), ...words], {
    stdio: ["pipe", "pipe", "inherit"],
  });
const server = program("serve.ts", ledger, assets);
const lines: Interface = createInterface(server.stdout!);
const link = async (): Promise<string> => {
  server.stdin!.write("link\n");
  const [line] = (await once(lines, "line")) as [string];
  return line;
};

const open = async (browser: Browser, usable: string): Promise<Page> => {
  const context = await browser.newContext({ locale: "en-US", viewport: { width: 1280, height: 800 } });
  const page = await context.newPage();
  await page.addInitScript(watchPage, usable);
  return page;
};
const watched = (page: Page): Promise<Watched> =>
  page.evaluate(() => (globalThis as unknown as { watched: Watched }).watched);
const longest = (tasks: readonly number[]): number => Math.max(0, ...tasks);

/** A new browser without a cache, each time. */
const firstPage = async (): Promise<{ readonly usableMs: number; readonly scripts: number }> => {
  await using browser = await launchBrowser();
  const page = await open(browser, "main dl dd");
  const bodies: Promise<Buffer>[] = [];
  page.on("response", (response) => {
    // Responses after the page can be used are not counted, and may be cut off.
    if (response.request().resourceType() === "script")
      bodies.push(response.body().catch(() => Buffer.alloc(0)));
  });
  await page.goto(await link());
  const isUsable = () => (globalThis as unknown as { watched: Watched }).watched.usableMs !== undefined;
  await page.waitForFunction(isUsable);
  const { usableMs = 0 } = await watched(page);
  const scripts = (await Promise.all(bodies)).reduce((sum, body) => sum + gzipSync(body).length, 0);
  return { usableMs, scripts };
};

/** Scrolls down the table by some screens per frame, and waits for rows that are not loaded. */
const scrollDown = ([wanted, screens]: readonly [number, number]): Promise<number> =>
  new Promise((resolve) => {
    const scroller = document.querySelector('[role="table"]')!.parentElement!;
    let rows = 0;
    let still = 0;
    const step = (): void => {
      const before = scroller.scrollTop;
      scroller.scrollTop += scroller.clientHeight * screens;
      const moved = scroller.scrollTop - before;
      rows += moved / 36;
      still = moved > 0 ? 0 : still + 1;
      if (rows >= wanted || still > 600) resolve(Math.round(rows));
      else requestAnimationFrame(step);
    };
    requestAnimationFrame(step);
  });

const report: (readonly string[])[] = [["", "measured"]];
const first: Awaited<ReturnType<typeof firstPage>>[] = [];
for (let i = 0; i < rounds; i += 1) first.push(await firstPage());
report.push(
  ["first page can be used after, ms", withRange(spread(first.map(({ usableMs }) => usableMs)))],
  ["its scripts, KB gzip", round(first[0]!.scripts / 1_000)],
);

{
  await using browser = await launchBrowser();
  const page = await open(browser, '[role="row"] a');
  await page.goto(await link());
  await page.getByRole("link", { name: "Calls", exact: true }).first().click();
  await page.locator('[role="row"] a').first().waitFor();
  for (const [wanted, screens] of [
    [Math.min(calls, 10_000), 1],
    [calls * 0.98, 20],
  ] as const) {
    const { longTasks: before } = await watched(page);
    const began = performance.now();
    const passed = await page.evaluate(scrollDown, [wanted, screens] as const);
    const took = (performance.now() - began) / 1_000;
    const { longTasks } = await watched(page);
    report.push(
      [`calls scrolled through, ${screens} screens in a frame`, `${round(passed)} in ${round(took)} s`],
      ["longest task meanwhile, ms", round(longest(longTasks.slice(before.length)))],
    );
  }
  const heap = await page.evaluate(
    () => (performance as unknown as { memory: { usedJSHeapSize: number } }).memory.usedJSHeapSize,
  );
  report.push(["memory of the page behind it, MB", round(heap / 1_000_000)]);
}

for (const place of ["Overview", "Calls"]) {
  await using browser = await launchBrowser();
  const page = await open(browser, "main");
  await page.goto(await link());
  await page.getByRole("link", { name: place, exact: true }).first().click();
  await page.getByRole("heading", { name: place, level: 1 }).waitFor();
  const caller = program("call.ts", ledger, String(rate), String(seconds));
  const made = once(createInterface(caller.stdout!), "line") as Promise<[string]>;
  await once(caller, "spawn");
  const { longTasks: before } = await watched(page);
  const [from] = [await page.evaluate(() => Math.floor(performance.now() / 1_000) + 1)];
  const [reached] = await made;
  const { longTasks, paints } = await watched(page);
  const each = Object.entries(paints).filter(([second]) => Number(second) >= from);
  report.push(
    [`${place}: calls a second`, reached],
    [`${place}: longest task, ms`, round(longest(longTasks.slice(before.length)))],
    [`${place}: most repaints in a second`, String(Math.max(0, ...each.map(([, count]) => count)))],
  );
}

process.stdout.write(`${table(report)}\n`);
server.stdin!.end();
await once(server, "exit");
await rm(folder, { recursive: true, force: true });
