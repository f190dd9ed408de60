import { AxeBuilder } from "@axe-core/playwright";
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { type FilledScene, sees, studioWorld } from "./kit/studio-world.ts";

const tags = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"];

/** Every page with an element that shows it has loaded. */
const places: readonly (readonly [
  name: string,
  path: (scene: FilledScene) => string,
  seen: (page: Page) => ReturnType<Page["getByText"]>,
])[] = [
  ["overview", () => "/", (page) => page.getByRole("img", { name: /Chart: Calls/ })],
  ["calls", () => "/calls", (page) => page.getByRole("row", { name: /^refund needs approval/ })],
  ["no calls", () => "/calls?tool=nothing", (page) => page.getByText("No matching calls")],
  ["runs", () => "/runs", (page) => page.getByRole("row", { name: /desk pending/ })],
  ["a run", ({ runs }) => `/runs/${runs.tainted}`, (page) => page.getByText("untrusted content")],
  ["approvals", () => "/approvals", (page) => page.getByRole("button", { name: "Approve", exact: true })],
  ["answers", () => "/approvals?status=used", (page) => page.getByRole("region", { name: "Answer" })],
  [
    "tools",
    () => "/tools?query=pay%20money%20back",
    (page) => page.getByText(/confidence that the first tool fits/),
  ],
  ["a tool", () => "/tools/refund", (page) => page.getByRole("img", { name: /Recent durations/ })],
  ["servers", () => "/servers", (page) => page.getByText("2 tools are quarantined")],
  ["a review", () => "/servers/weather/review", (page) => page.getByRole("region", { name: "forecast" })],
  ["permissions", () => "/permissions?as=guest&tool=refund", (page) => page.getByText(/may not call refund/)],
  ["agents", () => "/agents?first=desk&second=billing", (page) => page.getByRole("log").last()],
  ["experiments", () => "/experiments", (page) => page.getByRole("img", { name: /-38 %/ }).first()],
  ["nothing", () => "/nowhere", (page) => page.getByRole("heading", { level: 1 })],
  ["a call that is not there", () => "/calls/none", (page) => page.getByRole("alert")],
];

const troublesOf = async (page: Page): Promise<readonly string[]> => {
  const { violations } = await new AxeBuilder({ page }).withTags(tags).analyze();
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${id}: ${target.join(" ")}: ${failureSummary}`),
  );
};

/** How many pixels the page is wider than the window. */
const overflow = (page: Page): Promise<number> =>
  page.evaluate<number>("document.documentElement.scrollWidth - document.documentElement.clientWidth");

/** Opens a failed call with all its stages expanded. */
const openFailedCall = async (page: Page, scene: FilledScene): Promise<void> => {
  await page.goto(`${scene.origin}/calls?ending=failed&tool=check_stock`);
  await page
    .getByRole("row", { name: /check_stock failed/ })
    .getByRole("link")
    .first()
    .click();
  for (const stage of ["bind", "authorize", "layers", "record", "reply"]) {
    await page
      .getByRole("navigation", { name: "Pipeline stages" })
      .getByRole("button", { name: stage })
      .click();
  }
  await sees(page.getByRole("columnheader", { name: "Hash" }));
};

describe("every page", () => {
  const world = studioWorld("sqlite");

  it.each([
    ["light", 1_280],
    ["dark", 1_280],
    ["light", 360],
    ["dark", 360],
  ] as const)(
    "has no WCAG 2.2 AA violation and no horizontal scroll, %s at %i pixels",
    async (scheme, width) => {
      const scene = await world.filled();
      const page = await world.visit(scene, "/", { scheme, width, height: 900 });
      const found: Record<string, readonly string[]> = {};
      const look = async (name: string): Promise<void> => {
        const [troubles, wider] = [await troublesOf(page), await overflow(page)];
        if (troubles.length > 0 || wider > 0)
          found[name] = [...troubles, ...(wider > 0 ? [`${wider} pixels too wide`] : [])];
      };
      for (const [name, path, seen] of places) {
        await page.goto(scene.origin + path(scene));
        await sees(seen(page));
        await look(name);
      }
      await openFailedCall(page, scene);
      await look("a call");
      await page.goto(`${scene.origin}/approvals?id=${scene.waiting.clerk}`);
      await page.getByRole("button", { name: "Edit", exact: true }).click();
      await page.getByRole("textbox", { name: /^amount/ }).fill("9000");
      await sees(page.locator("[aria-invalid=true]"));
      await page.getByRole("textbox", { name: /^order/ }).fill("");
      await sees(page.getByText("This field is required."));
      await look("an edit");
      await page.goto(`${scene.origin}/agents`);
      await page.getByRole("textbox", { name: "Message to desk" }).fill("Please refund order 33");
      await page.getByRole("button", { name: "Send" }).click();
      const log = page.getByRole("log", { name: "Conversation" });
      await sees(log.getByRole("button", { name: "Approve" }));
      await look("a chat that needs approval");
      await log.getByRole("button", { name: "Approve" }).click();
      await sees(log.getByText(/^The desk says/));
      await look("a chat");
      await page.goto(`${scene.origin}/runs/${scene.runs.priced}`);
      await page.getByRole("button", { name: "Replay" }).click();
      await page.getByRole("dialog").getByRole("button", { name: "Replay", exact: true }).click();
      await sees(page.getByRole("dialog").getByRole("status"));
      await look("a replay");
      await page.goto(scene.origin);
      await sees(page.getByRole("heading", { level: 1, name: "Overview" }));
      await page.keyboard.press("Control+k");
      await sees(page.getByRole("dialog", { name: "Go to" }));
      await look("the palette");
      await page.keyboard.press("Escape");
      await page.context().clearCookies();
      await page.reload();
      await sees(page.getByRole("heading", { name: "Sign in to Haft Studio" }));
      await look("signing in");
      expect(found).toEqual({});
    },
  );
});

describe("the fleet page", () => {
  const world = studioWorld("postgres");

  it("has no WCAG 2.2 AA violation and no horizontal scroll", async () => {
    const scene = await world.filled({ hasFleet: true });
    const { runId } = await scene.haft.submit(scene.desk, "Refund order 81");
    for (const scheme of ["light", "dark"] as const) {
      for (const width of [1_280, 360]) {
        const page = await world.visit(scene, "/fleet", { scheme, width });
        await sees(page.getByRole("link", { name: runId }));
        expect([await troublesOf(page), await overflow(page)]).toEqual([[], 0]);
      }
    }
  });
});
