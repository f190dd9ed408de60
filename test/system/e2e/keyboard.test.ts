import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { waitFor } from "../../kit/wait-for.ts";
import { isGone, sees, studioWorld } from "./kit/studio-world.ts";

/** Role and name of the focused element, as a screen reader announces it. */
const focused = async (page: Page): Promise<string> => {
  const snapshot = await page.locator(":focus").ariaSnapshot();
  return snapshot.split("\n")[0]!.replace(/^- '?/, "");
};

/** Presses one key until the focused element matches; returns the number of presses. */
const goTo = async (page: Page, wanted: RegExp, key = "Tab", most = 60): Promise<number> => {
  const passed: string[] = [];
  for (let presses = 0; presses <= most; presses += 1) {
    const now = (await page.locator(":focus").count()) === 0 ? "nothing" : await focused(page);
    if (wanted.test(now)) return presses;
    passed.push(now);
    await page.keyboard.press(key);
  }
  throw new Error(`Nothing that fits ${wanted} had the focus. There were:\n${passed.join("\n")}`);
};

describe("keyboard navigation", () => {
  const world = studioWorld("sqlite");

  it("finds the failing call and its error, and approves a pending call", async () => {
    const scene = await world.filled();
    const page = await world.visit(scene);
    await goTo(page, /^link "Skip to content"/);
    // Opens the failed calls from the overview.
    await page.keyboard.press("Enter");
    await goTo(page, /^link "5"/);
    await page.keyboard.press("Enter");
    await sees(page.getByRole("row", { name: /^check_stock failed/ }));
    await goTo(page, /^link "refund"/);
    await goTo(page, /^link "check_stock"/, "ArrowDown");
    await page.keyboard.press("Enter");
    await sees(page.getByRole("heading", { level: 1, name: "check_stock" }));
    await sees(page.getByText("The warehouse does not answer about lamp."));
    await goTo(page, /^button "failed run"/);
    await page.keyboard.press("Enter");
    await waitFor(async () => expect(await focused(page)).toMatch(/^button "failed 5 run failed: The tool/));
    await sees(page.getByText("Attempt 2"));
    // Opens the approvals by name.
    await page.keyboard.press("Control+k");
    await sees(page.getByRole("dialog", { name: "Go to" }));
    await page.keyboard.type("approv");
    await page.keyboard.press("Enter");
    await sees(page.getByRole("article", { name: "Approval request for send_mail" }));
    await page.keyboard.press("j");
    await sees(page.getByRole("article", { name: "Approval request for refund" }));
    await goTo(page, /^button "Approve"/);
    await page.keyboard.press("Enter");
    await isGone(page.getByRole("button", { name: "Approve", exact: true }));
    await sees(page.getByRole("region", { name: "Answer" }).getByText("ada"));
    await waitFor(() => expect(scene.shop.refunds).toContainEqual({ order: "50", amount: 12.5 }));
  });

  it("shows a focus outline, and returns the focus after a dialog closes", async () => {
    const scene = await world.filled();
    const page = await world.visit(scene, `/runs/${scene.runs.tainted}`);
    await sees(page.getByRole("button", { name: "Cancel run" }));
    await goTo(page, /^button "Cancel run"/);
    const outline = await page.locator(":focus").evaluate((element) => {
      const { defaultView } = element.ownerDocument;
      return defaultView?.getComputedStyle(element).outlineStyle;
    });
    expect(outline).toBe("solid");
    await page.keyboard.press("Enter");
    await sees(page.getByRole("dialog", { name: "Cancel this run" }));
    expect(await focused(page)).toBe('button "Keep run"');
    await page.keyboard.press("Escape");
    await isGone(page.getByRole("dialog"));
    expect(await focused(page)).toBe('button "Cancel run"');
  });
});
