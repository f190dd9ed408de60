import type { Locator, Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { openLedger } from "../../../src/exports/ledger.ts";
import { waitFor } from "../../kit/wait-for.ts";
import { type Store, sees, studioWorld } from "./kit/studio-world.ts";

const region = (page: Page, name: string): Locator => page.getByRole("region", { name });
const spans = (page: Page): Locator => region(page, "Timeline").getByRole("listitem");

describe.each<Store>(["sqlite", "postgres"])("runs over %s", (store) => {
  const world = studioWorld(store);

  it("lists runs with their tokens, and filters them by status", async () => {
    const scene = await world.filled();
    const page = await world.visit(scene, "/runs");
    await sees(page.getByRole("row", { name: /desk done run clerk · ada 2 360 \/ 80/ }));
    await page.getByRole("combobox", { name: "Status" }).selectOption("pending");
    await waitFor(async () => expect(await page.getByRole("table").getByRole("link").count()).toBe(1));
    expect(new URL(page.url()).search).toBe("?status=pending");
    await page.getByRole("table").getByRole("link").click();
    await sees(page.getByText("The call of send_mail needs approval."));
  });

  it("shows parallel calls, the conversation, tokens and cost of a run", async () => {
    const scene = await world.filled();
    const page = await world.visit(scene, `/runs/${scene.runs.compared}`);
    await waitFor(async () => expect(await spans(page).count()).toBe(5));
    await sees(
      spans(page)
        .nth(3)
        .getByText(/failed, duration/),
    );
    // Calls of one turn start at about the same time, so their bars overlap.
    const bars = await spans(page)
      .locator("svg rect:nth-of-type(2)")
      .evaluateAll((all) =>
        all.map((bar) => {
          const { left, right } = bar.getBoundingClientRect();
          return { left, right };
        }),
      );
    expect(bars).toHaveLength(5);
    expect(bars[2]!.left).toBeLessThan(bars[1]!.right);
    expect(bars[4]!.left).toBeGreaterThanOrEqual(bars[3]!.left);
    const said = region(page, "Conversation");
    await sees(said.getByText("Compare orders 7 and 8"));
    await sees(said.getByText("Both cost twelve; the warehouse is silent."));
    await sees(region(page, "About").getByText("360 (100 cached)"));
    await sees(region(page, "About").getByText("0.0040"));
    await said.getByRole("link", { name: "View call" }).last().click();
    await sees(page.getByRole("heading", { level: 1, name: "check_stock" }));
  });

  it("shows a handoff, and marks untrusted content", async () => {
    const scene = await world.filled();
    const page = await world.visit(scene, `/runs/${scene.runs.handed}`);
    await sees(region(page, "About").getByText("desk → billing"));
    await page.goto(`${scene.origin}/runs/${scene.runs.tainted}`);
    await sees(region(page, "Conversation").getByText("untrusted content"));
  });

  it("resumes a run whose request was approved by another process", async () => {
    const scene = await world.filled();
    const keeper = await openLedger(scene.ledger);
    await keeper.answer(scene.waiting.mail, { kind: "allow" }, { by: "grace" });
    await keeper.end();
    const page = await world.visit(scene, `/runs/${scene.runs.tainted}`);
    await page.getByRole("button", { name: "Resume" }).click();
    await sees(region(page, "Conversation").getByText(/The mail: .*sent/));
    expect(scene.shop.mails).toEqual(["bob"]);
  });

  it("cancels a run after a confirmation, and shows who did it", async () => {
    const scene = await world.filled();
    const page = await world.visit(scene, `/runs/${scene.runs.tainted}`);
    await page.getByRole("button", { name: "Cancel run" }).click();
    await page
      .getByRole("dialog", { name: "Cancel this run" })
      .getByRole("button", { name: "Keep run" })
      .click();
    await page.getByRole("button", { name: "Cancel run" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Cancel run" }).click();
    await sees(page.getByText("Run cancelled."));
    await sees(page.getByText(/ada/).filter({ hasText: /cancelled/ }));
    await waitFor(async () => expect(await page.getByRole("button", { name: "Cancel run" }).count()).toBe(0));
  });

  it("shows different results of a replay with current tools in a line diff", async () => {
    const scene = await world.filled();
    scene.shop.price = 15;
    const page = await world.visit(scene, `/runs/${scene.runs.priced}`);
    await page.getByRole("button", { name: "Replay" }).click();
    const dialog = page.getByRole("dialog", { name: "Replay" });
    await dialog.getByRole("button", { name: "Replay", exact: true }).click();
    await sees(dialog.getByText("1 call: 0 unchanged, 1 different"));
    await sees(dialog.getByText(/"price":\s?12/));
    await sees(dialog.getByText(/"price":\s?15/));
    await dialog.getByRole("button", { name: "Close" }).click();
    await waitFor(async () => expect(await page.getByRole("dialog").count()).toBe(0));
  });
});
