import type { Locator, Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { openLedger } from "../../../src/ledger/ledger-admin.ts";
import { Haft } from "../../../src/runtime/haft.ts";
import { tool } from "../../../src/tools/tool.ts";
import { waitFor } from "../../kit/wait-for.ts";
import { clerk, type Scene } from "./kit/scene.ts";
import { isGone, type Store, sees, studioWorld } from "./kit/studio-world.ts";

const figure = (page: Page, name: string): Locator =>
  page.locator("dl > div").filter({ has: page.getByText(name, { exact: true }) });
const row = (page: Page, words: string | RegExp): Locator => page.getByRole("row", { name: words });
/** The opened content of one stage. */
const stage = (page: Page, number: number, name: string): Locator =>
  page
    .locator("section")
    .filter({ has: page.getByRole("button", { name: new RegExp(`${number} ${name}`) }) });
const failing = (page: Page, words: string): Locator =>
  row(page, new RegExp(words)).getByRole("link").first();

/** Makes calls of `ship_order` that were running when their runtime lost its ledger; returns their ids. */
const lostCalls = async ({ ledger, haft }: Scene, orders: readonly string[]): Promise<readonly string[]> => {
  const other = await openLedger(ledger);
  let started = 0;
  const ship = tool({
    name: "ship_order",
    description: "Hands an order to the carrier",
    input: { type: "object", properties: { id: { type: "string" } } },
    run: () => {
      started += 1;
      return new Promise(() => {});
    },
  });
  const lost = await Haft.open({ tools: [ship], principal: clerk, ledger: other.store });
  for (const id of orders) lost.call("ship_order", { id }).catch(() => {});
  await waitFor(() => expect(started).toBe(orders.length));
  await other.end();
  const unknown = await waitFor(async () => {
    const entries = await haft.log({ ending: "unknown" });
    expect(entries).toHaveLength(orders.length);
    return entries;
  });
  return orders.map((id) => unknown.find(({ input }) => input === JSON.stringify({ id }))!.entryId);
};

describe.each<Store>(["sqlite", "postgres"])("overview and calls over %s", (store) => {
  const world = studioWorld(store);

  it("the overview counts calls, failures, cost and pending requests, and groups calls by tool, agent and tenant", async () => {
    const scene = await world.filled();
    const page = await world.visit(scene);
    await sees(figure(page, "Calls").getByText("28", { exact: true }));
    await sees(figure(page, "Failed").getByRole("link", { name: "5", exact: true }));
    await sees(figure(page, "Cost").getByText("0.2640"));
    await sees(figure(page, "Needs approval").getByRole("link", { name: "3", exact: true }));
    await sees(figure(page, "p95").getByText(/ms|s/));
    await sees(row(page, /^find_order 8 1 /));
    await sees(page.getByRole("region", { name: "Failures by code" }).getByText("invalid_input"));
    await page.getByRole("combobox", { name: "Group by" }).selectOption("agent");
    await sees(row(page, /^clerk 26 5 /));
    await sees(row(page, /^night 2 0 /));
    expect(new URL(page.url()).search).toContain("by=agent");
    await page.getByRole("combobox", { name: "Group by" }).selectOption("tenant");
    await sees(row(page, /^north 2 0 /));
    await page.getByRole("button", { name: "Show as table" }).first().click();
    await sees(page.getByRole("columnheader", { name: "all" }));
    await figure(page, "Failed").getByRole("link").click();
    await waitFor(() => expect(new URL(page.url()).search).toBe("?ending=failed&last=day"));
    await waitFor(async () =>
      expect(await page.getByRole("table", { name: "Calls" }).getByRole("link").count()).toBe(5),
    );
  });

  it("call filters are kept in the URL when typed, selected, cleared and navigated back", async () => {
    const scene = await world.filled();
    const page = await world.visit(scene, "/calls?tool=refund");
    const links = page.getByRole("table", { name: "Calls" }).getByRole("link");
    await waitFor(async () => expect(await links.count()).toBe(4));
    expect(await page.getByRole("textbox", { name: "Tool" }).inputValue()).toBe("refund");
    await page.getByRole("combobox", { name: "Status" }).selectOption("needs approval");
    await waitFor(async () => expect(await links.count()).toBe(2));
    expect(new URL(page.url()).search).toBe("?tool=refund&ending=pending");
    await page.getByRole("textbox", { name: "Agent" }).fill("night");
    await waitFor(async () => expect(await links.count()).toBe(1));
    await waitFor(() => expect(new URL(page.url()).searchParams.get("agent")).toBe("night"));
    await page.getByRole("textbox", { name: "Tool" }).fill("nothing");
    await sees(page.getByText("No matching calls"));
    await page.goBack();
    await waitFor(async () => expect(await links.count()).toBe(1));
    await page.getByRole("link", { name: "Clear filters" }).click();
    await sees(page.getByText("28 calls"));
    expect(new URL(page.url()).search).toBe("");
  });

  it("a new call appears in an open list, and its page follows it to its end", async () => {
    const scene = await world.empty();
    const page = await world.visit(scene, "/calls");
    await sees(page.getByText("No calls yet"));
    const shipped = scene.haft.call("ship_order", { id: "9" });
    await sees(row(page, /ship_order running/));
    await row(page, /ship_order/)
      .getByRole("link")
      .first()
      .click();
    const pipeline = page.getByRole("navigation", { name: "Pipeline stages" });
    await sees(pipeline.getByRole("button", { name: "running run" }));
    scene.gates.open("ship");
    await shipped;
    await sees(pipeline.getByRole("button", { name: "passed reply" }));
    await isGone(pipeline.getByRole("button", { name: "running run" }));
  });

  it("a failed call shows its eight stages with the failing one, its attempts and the reply", async () => {
    const scene = await world.filled();
    const page = await world.visit(scene, "/calls?ending=failed&tool=check_stock");
    await failing(page, "check_stock failed").click();
    const pipeline = page.getByRole("navigation", { name: "Pipeline stages" });
    await sees(pipeline);
    const names = await pipeline.getByRole("button").allInnerTexts();
    expect(names.map((name) => name.split(/\s+/).join(" "))).toEqual([
      "passed hydrate",
      "passed bind",
      "passed authorize",
      "passed layers",
      "failed run",
      "not reached check",
      "passed record",
      "passed reply",
    ]);
    await sees(stage(page, 5, "run").getByText("Attempt 2"));
    await pipeline.getByRole("button", { name: "layers" }).click();
    await sees(stage(page, 4, "layers").getByText("retry: 2 attempts").nth(1));
    await pipeline.getByRole("button", { name: "record" }).click();
    await sees(stage(page, 7, "record").getByRole("columnheader", { name: "Hash" }));
    expect(await stage(page, 7, "record").getByRole("row").count()).toBeGreaterThan(2);
    await pipeline.getByRole("button", { name: "reply" }).click();
    await sees(stage(page, 8, "reply").getByText("failed with failed"));
    await sees(stage(page, 8, "reply").getByText("The warehouse does not answer about lamp."));
  });

  it("a refused call shows the rule that decided and its reason", async () => {
    const scene = await world.filled();
    const page = await world.visit(scene, "/calls?ending=failed");
    await failing(page, "pay_supplier denied").click();
    await sees(page.getByRole("button", { name: "failed authorize" }));
    await sees(
      stage(page, 3, "authorize").getByText(
        "denied by no-large-payments (Bills of a thousand and more are paid by hand.)",
      ),
    );
    await stage(page, 3, "authorize").getByRole("link", { name: "rule no-large-payments" }).click();
    const explained = page.getByRole("region", { name: "Explain" });
    await sees(explained.getByText(/"clerk" may not call pay_supplier/));
    await sees(explained.getByText("overruled by rule no-large-payments"));
  });

  it("repaired arguments are shown next to the original ones, with each repair", async () => {
    const scene = await world.filled();
    const page = await world.visit(scene, "/calls?tool=find_order");
    await row(page, /repaired|\{id: '5',\}/)
      .getByRole("link")
      .first()
      .click();
    await sees(stage(page, 1, "hydrate").getByText("Original arguments"));
    await sees(stage(page, 1, "hydrate").getByText("{id: '5',}"));
    await sees(stage(page, 1, "hydrate").getByText("Arguments of the code"));
    await sees(stage(page, 1, "hydrate").getByText("Repairs", { exact: true }));
  });

  it("a pending call names the source of untrusted content, and links to its request and run", async () => {
    const scene = await world.filled();
    const page = await world.visit(scene, "/calls?tool=send_mail");
    await failing(page, "send_mail needs approval").click();
    await sees(page.getByRole("button", { name: "needs approval authorize" }));
    await sees(stage(page, 3, "authorize").getByText(/approval required: untrusted content of read_mail/));
    await sees(
      page.getByRole("region", { name: "Untrusted content from" }).getByRole("link", { name: "read_mail" }),
    );
    await sees(page.getByRole("link", { name: "View request" }));
    await page.getByRole("link", { name: "desk (pending)" }).click();
    await sees(page.getByRole("heading", { level: 1, name: "Run of desk" }));
  });

  it("the list loads more than a hundred calls on scroll, and shows newer calls on request", async () => {
    const scene = await world.empty();
    await scene.haft.turn(
      Array.from({ length: 250 }, (_, i) => ({ id: `c-${i}`, tool: "price_of", input: { thing: `n${i}` } })),
    );
    const page = await world.visit(scene, "/calls");
    await sees(page.getByText("250 calls"));
    await row(page, /price_of done/)
      .getByRole("link")
      .first()
      .focus();
    // Each press scrolls to the end of the rows loaded so far.
    await waitFor(async () =>
      expect(
        await (async () => {
          await page.keyboard.press("End");
          return row(page, /"n0"/).count();
        })(),
      ).toBe(1),
    );
    expect(await row(page, /"n249"/).count()).toBe(0);
    await scene.haft.call("find_order", { id: "newest" });
    await page.getByRole("button", { name: "1 newer call" }).click();
    await sees(row(page, /find_order done .*newest/));
  });

  it("settles a call whose effect is unknown, with its result and the reason", async () => {
    const scene = await world.empty();
    const [took, didNot] = await lostCalls(scene, ["9", "10"]);
    const page = await world.visit(scene, `/calls/${took}`);
    const form = page.getByRole("region", { name: "Effect unknown" });
    await form.getByRole("textbox", { name: "How you know" }).fill("in the carrier's list");
    const result = form.getByRole("textbox", { name: /^Result as JSON/ });
    await result.fill("shipped");
    await form.getByRole("button", { name: "It took effect" }).click();
    await sees(page.getByText("The result is not JSON."));
    await result.fill('{"shipped":"9"}');
    await form.getByRole("button", { name: "It took effect" }).click();
    const settlement = page.getByRole("region", { name: "Settlement" });
    await sees(settlement.getByText("It took effect."));
    await sees(settlement.getByText("Settled by ada"));
    await sees(settlement.getByText("in the carrier's list"));
    await isGone(form);
    expect(await scene.haft.log({ entryId: took! })).toMatchObject([
      { ending: "executed", result: '{"shipped":"9"}', settlement: { tookEffect: true, by: "ada" } },
    ]);

    await page.goto(`${scene.origin}/calls/${didNot}`);
    await form.getByRole("button", { name: "It did not take effect" }).click();
    await sees(settlement.getByText("It did not take effect."));
    expect(await scene.haft.log({ ending: "unknown" })).toEqual([]);
  });

  it("the duration of a stage has at most three digits", async () => {
    const scene = await world.filled();
    const page = await world.visit(scene, "/calls?tool=find_order&ending=executed");
    await failing(page, "find_order done").click();
    const head = page.getByRole("button", { name: /5 run/ });
    await sees(head);
    expect(await head.textContent()).toMatch(/5 run(<1|\d{1,3}|\d\.\d{1,2}|\d\d\.\d) m?s$/);
  });
});
