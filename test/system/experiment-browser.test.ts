import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import * as Clock from "effect/Clock";
import * as Effect from "effect/Effect";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { toReportHtml } from "../../src/agent/experiments/report-html.ts";
import { runExperiment } from "../../src/agent/experiments/run-experiment.ts";
import { answeringAgent, simulateExperiment } from "../kit/simulated-experiment.ts";
import { launchBrowser } from "./kit/launch-browser.ts";

const hostile = `<script>document.title="taken over"</script><img src="http://127.0.0.1:1/x.png" onerror="document.title='taken over'">`;
const inputs = [
  ...Array.from({ length: 22 }, (_, index) => ({
    id: `case-${index + 1}`,
    input: `Question number ${index + 1}`,
  })),
  { id: "hostile", input: hostile },
  { id: "endless", input: "w".repeat(2_000) },
];

let folder = "";
let address = "";
let browser: Browser;

beforeAll(async () => {
  const { clock, arms, run } = simulateExperiment(7, {
    a: { rightness: 0.95 },
    b: { pace: 0.66, rightness: 0.62 },
    ["an-arm-with-a-name-as-long-as-names-get".repeat(2)]: { tokens: 0.5 },
  });
  const libraries = { a: "lib/careful.ts", b: `${"deep/".repeat(30)}quick.ts` };
  const options = { agent: answeringAgent, arms, libraries, run, inputs, runs: 5, seed: 7 };
  const result = await Effect.runPromise(Effect.provideService(runExperiment(options), Clock.Clock, clock));
  folder = mkdtempSync(join(tmpdir(), "haft-report-"));
  const file = join(folder, "report.html");
  writeFileSync(file, toReportHtml(result));
  address = pathToFileURL(file).href;
  browser = await launchBrowser();
});

afterAll(async () => {
  await browser?.close();
  if (folder !== "") rmSync(folder, { recursive: true });
});

interface Visit {
  readonly page: Page;
  readonly requested: string[];
  readonly complaints: string[];
}

const visit = async (width: number, colorScheme: "light" | "dark"): Promise<Visit> => {
  const context = await browser.newContext({ viewport: { width, height: 900 }, colorScheme });
  const page = await context.newPage();
  const requested: string[] = [];
  const complaints: string[] = [];
  page.on("request", (request) => requested.push(request.url()));
  page.on("console", (message) => complaints.push(message.text()));
  page.on("pageerror", (error) => complaints.push(String(error)));
  await page.goto(address);
  return { page, requested, complaints };
};

/** Evaluates an expression in the page. */
const ask = (page: Page, expression: string): Promise<unknown> => page.evaluate(expression);

describe("experiment report in a browser", () => {
  it.each([
    [1280, "light"],
    [1280, "dark"],
    [820, "light"],
    [390, "dark"],
  ] as const)(
    "at %i pixels, %s, makes no requests, logs no errors and does not overflow",
    async (width, scheme) => {
      const { page, requested, complaints } = await visit(width, scheme);
      expect(requested.filter((url) => url !== address && !url.startsWith("data:"))).toEqual([]);
      expect(complaints).toEqual([]);
      expect(await ask(page, "document.documentElement.scrollWidth - innerWidth")).toBeLessThanOrEqual(0);
      const shot = await page.screenshot({ fullPage: true });
      expect(shot.length).toBeGreaterThan(50_000);
      const kept = process.env.HAFT_SCREENSHOTS;
      if (kept !== undefined) writeFileSync(join(kept, `experiment-${width}-${scheme}.png`), shot);
      await page.context().close();
    },
  );

  it("shows the verdict first, then every section", async () => {
    const { page } = await visit(1280, "light");
    const first = page.getByRole("heading", { level: 1 }).first();
    expect(await first.textContent()).toMatch(/A succeeds more often by \d+–\d+\spercentage points/);
    expect(await first.textContent()).toMatch(/B is faster by \d+–\d+\s%/);
    const box = await first.boundingBox();
    expect(box!.y + box!.height).toBeLessThan(900);
    const titles = ["A and B at a glance", "A and B, input by input", "Success", "Latency", "Tools"];
    for (const title of [...titles, "Inputs where A and B differ", "How this was measured"]) {
      expect(await page.getByRole("heading", { name: title, exact: true }).isVisible()).toBe(true);
    }
    expect(await page.getByText("no evidence", { exact: true }).first().isVisible()).toBe(true);
    await page.context().close();
  });

  it("names the library of each arm, and shows the latency of right answers separately", async () => {
    for (const width of [1280, 390]) {
      const { page } = await visit(width, "light");
      expect(await page.getByText("lib/careful.ts", { exact: true }).first().isVisible()).toBe(true);
      expect(await page.title()).toContain("A (lib/careful.ts) against B");
      const row = page.getByRole("row", { name: /Latency among right answers/ }).first();
      expect(await row.isVisible()).toBe(true);
      expect(await row.textContent()).toMatch(/median right run/);
      expect(
        await page
          .getByText(/median of right answers/)
          .first()
          .isVisible(),
      ).toBe(true);
      await page.context().close();
    }
  });

  it("draws dots, intervals and bars inside their cards", async () => {
    const { page } = await visit(390, "light");
    const outside = `[...document.querySelectorAll("svg circle, svg line, .fill")].filter((each) => {
      const box = each.getBoundingClientRect();
      return box.width + box.height > 0 && (box.left < 0 || box.right > innerWidth);
    }).length`;
    expect(await ask(page, outside)).toBe(0);
    expect(await ask(page, `document.querySelectorAll("circle.dot").length`)).toBeGreaterThan(300);
    await page.context().close();
  });

  it("shows foreign text as text", async () => {
    const { page } = await visit(1280, "light");
    expect(await page.title()).toContain("answerer");
    expect(await ask(page, `document.querySelectorAll("script, img, iframe").length`)).toBe(0);
    expect(await ask(page, `document.body.textContent.includes("<script>document.title=")`)).toBe(true);
    await page.context().close();
  });

  it("opens the answers of an input without JavaScript", async () => {
    const { page } = await visit(390, "light");
    const answers = page.locator("details").first();
    expect(await answers.locator("li").first().isVisible()).toBe(false);
    await answers.locator("summary").click();
    expect(await answers.locator("li").first().isVisible()).toBe(true);
    expect(await ask(page, "document.documentElement.scrollWidth - innerWidth")).toBeLessThanOrEqual(0);
    await page.context().close();
  });
});
