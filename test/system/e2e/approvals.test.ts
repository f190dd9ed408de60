import type { Locator, Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { waitFor } from "../../kit/wait-for.ts";
import { isGone, type Store, sees, studioWorld } from "./kit/studio-world.ts";

const requests = (page: Page): Locator =>
  page.getByRole("region", { name: "Approval requests" }).getByRole("listitem");
const pane = (page: Page): Locator => page.getByRole("article");
const button = (page: Page, name: string): Locator => pane(page).getByRole("button", { name, exact: true });

describe.each<Store>(["sqlite", "postgres"])("approvals over %s", (store) => {
  const world = studioWorld(store);

  it("an approval request shows the caller, the reason, untrusted content and earlier calls of the tool", async () => {
    const scene = await world.filled();
    const page = await world.visit(scene, `/approvals?id=${scene.waiting.mail}`);
    await sees(pane(page).getByText("The run had read untrusted content"));
    await sees(pane(page).getByRole("link", { name: "read_mail" }));
    await requests(page).getByRole("link", { name: "refund" }).last().click();
    await sees(page.getByRole("article", { name: "Approval request for refund" }));
    const why = page.getByRole("region", { name: "Why approval is required" });
    await sees(why.getByText("night · tenant north · session s-2"));
    await sees(why.getByText("Pays an order back to the customer"));
    const before = page.getByRole("region", { name: "Earlier calls of this tool" });
    await sees(before.getByText("approval_denied"));
    await sees(before.getByText('"order":"40"'));
  });

  it("Approve runs the call, removes the request from the list, and shows who answered", async () => {
    const scene = await world.filled();
    const page = await world.visit(scene, `/approvals?id=${scene.waiting.clerk}`);
    await waitFor(async () => expect(await requests(page).count()).toBe(3));
    await button(page, "Approve").click();
    await waitFor(async () => expect(await requests(page).count()).toBe(2));
    await waitFor(() => expect(scene.shop.refunds).toContainEqual({ order: "50", amount: 12.5 }));
    await sees(page.getByRole("region", { name: "Answer" }).getByText("ada"));
    await sees(page.getByRole("navigation", { name: "Pages" }).getByRole("link", { name: /Approvals 2/ }));
    await page.getByRole("combobox", { name: "Status" }).selectOption("used");
    await sees(requests(page).getByText('"order":"50"'));
  });

  it("Deny asks for a reason, and returns it to the model", async () => {
    const scene = await world.filled();
    const page = await world.visit(scene, `/approvals?id=${scene.waiting.clerk}`);
    await button(page, "Deny").click();
    await page.getByRole("textbox", { name: /Reason for the model/ }).fill("Ask the customer first.");
    await button(page, "Deny").click();
    await sees(page.getByRole("region", { name: "Answer" }).getByText("Ask the customer first."));
    await pane(page).getByRole("link", { name: "View call" }).click();
    await sees(page.getByText('The call of "refund" was not approved: Ask the customer first.'));
    expect(scene.shop.refunds).toEqual([{ order: "40", amount: 4 }]);
  });

  it("an edited form is validated against the schema, and the call runs with the edited arguments", async () => {
    const scene = await world.filled();
    const page = await world.visit(scene, `/approvals?id=${scene.waiting.clerk}`);
    await button(page, "Edit").click();
    const amount = page.getByRole("textbox", { name: /^amount/ });
    expect(await amount.inputValue()).toBe("12.5");
    await amount.fill("900");
    await sees(pane(page).getByText(/500/));
    await waitFor(async () => expect(await button(page, "Approve with changes").isDisabled()).toBe(true));
    await amount.fill("7.5");
    await page.getByRole("combobox", { name: /^reason/ }).selectOption("late");
    await waitFor(async () => expect(await button(page, "Approve with changes").isEnabled()).toBe(true));
    await sees(page.getByRole("list", { name: "Changes" }).getByText("7.5"));
    await button(page, "Approve with changes").click();
    await sees(page.getByRole("region", { name: "Approved arguments" }).getByText("7.5"));
    await sees(page.getByText("approved with changes").first());
    await waitFor(() => expect(scene.shop.refunds).toContainEqual({ order: "50", amount: 7.5 }));
    await pane(page).getByRole("link", { name: "View call" }).click();
    await sees(page.getByText("Arguments of the code"));
  });

  it("refuses an edit that leaves a required field blank, unless an empty text is chosen", async () => {
    const scene = await world.filled();
    const page = await world.visit(scene, `/approvals?id=${scene.waiting.clerk}`);
    const allow = button(page, "Approve with changes");
    await button(page, "Edit").click();
    await page.getByRole("textbox", { name: /^order/ }).fill("");
    await sees(pane(page).getByText("This field is required."));
    expect(await allow.isDisabled()).toBe(true);
    await pane(page)
      .getByRole("button", { name: /^Send empty text.*order$/ })
      .click();
    await sees(pane(page).getByText("Empty text", { exact: true }));
    await waitFor(async () => expect(await allow.isEnabled()).toBe(true));
    await allow.click();
    await waitFor(() => expect(scene.shop.refunds).toContainEqual({ order: "", amount: 12.5 }));
  });

  it("a grant for this session approves the next call of the session", async () => {
    const scene = await world.filled();
    const page = await world.visit(scene, `/approvals?id=${scene.waiting.clerk}`);
    await button(page, "Approve for this session").click();
    await sees(page.getByRole("region", { name: "Answer" }).getByText("this session", { exact: true }));
    await scene.haft.call("refund", { order: "60", amount: 1 });
    expect(scene.shop.refunds).toContainEqual({ order: "60", amount: 1 });
  });

  it("answers several selected requests at once", async () => {
    const scene = await world.filled();
    const page = await world.visit(scene, "/approvals");
    await requests(page)
      .getByRole("checkbox", { name: /Select refund/ })
      .first()
      .check();
    await requests(page)
      .getByRole("checkbox", { name: /Select refund/ })
      .last()
      .check();
    await sees(page.getByText("2 selected"));
    await page.getByRole("button", { name: "Deny all" }).click();
    await sees(page.getByText("2 of 2 answered."));
    await waitFor(async () => expect(await requests(page).count()).toBe(1));
    expect(scene.shop.refunds).toHaveLength(1);
  });

  it("answers requests with the keyboard: next, previous, deny with a reason, approve", async () => {
    const scene = await world.filled();
    const page = await world.visit(scene, "/approvals");
    await sees(page.getByRole("article", { name: "Approval request for send_mail" }));
    await page.keyboard.press("j");
    await sees(page.getByRole("article", { name: "Approval request for refund" }));
    await page.keyboard.press("k");
    await sees(page.getByRole("article", { name: "Approval request for send_mail" }));
    await page.keyboard.press("d");
    // The first letter would approve the call if the reason field did not have the focus.
    await page.keyboard.type("a mail to bob is not wanted");
    await page.keyboard.press("Enter");
    await waitFor(async () => expect(await requests(page).count()).toBe(2));
    await sees(page.getByText("a mail to bob is not wanted"));
    expect(scene.shop.mails).toEqual([]);
    await page.keyboard.press("j");
    await sees(page.getByRole("article", { name: "Approval request for refund" }));
    await page.keyboard.press("a");
    await waitFor(async () => expect(await requests(page).count()).toBe(1));
    await waitFor(() => expect(scene.shop.refunds.length).toBe(2));
  });

  it("the first of two concurrent answers counts, and the other user sees who gave it", async () => {
    const scene = await world.filled();
    const path = `/approvals?id=${scene.waiting.clerk}`;
    const ada = await world.visit(scene, path, { name: "ada" });
    const grace = await world.visit(scene, path, { name: "grace" });
    const all = [ada, grace];
    for (const page of all) await sees(button(page, "Approve"));
    // Holds both answers back until both are sent.
    const arrived = Promise.withResolvers<void>();
    let sent = 0;
    for (const page of all) {
      await page.route("**/answer", async (route) => {
        sent += 1;
        if (sent === all.length) arrived.resolve();
        await arrived.promise;
        await route.continue();
      });
    }
    await Promise.all(all.map((page) => button(page, "Approve").click()));
    const notice = (page: Page, name: string) =>
      page.getByText(new RegExp(`already approved by ${name}`)).first();
    const loser = await Promise.any([
      notice(ada, "grace")
        .waitFor()
        .then(() => "ada"),
      notice(grace, "ada")
        .waitFor()
        .then(() => "grace"),
    ]);
    const winner = loser === "ada" ? "grace" : "ada";
    for (const page of all) await sees(page.getByRole("region", { name: "Answer" }).getByText(winner));
    await waitFor(() => expect(scene.shop.refunds.filter(({ order }) => order === "50").length).toBe(1));
  });

  it("a new request and the answer of another user appear in an open browser without a reload", async () => {
    const scene = await world.filled();
    const ada = await world.visit(scene, "/approvals");
    const grace = await world.visit(scene, "/approvals", { name: "grace" });
    await waitFor(async () => expect(await requests(grace).count()).toBe(3));
    void scene.haft.turn([{ id: "late", tool: "refund", input: { order: "70", amount: 2 } }]);
    for (const page of [ada, grace]) await waitFor(async () => expect(await requests(page).count()).toBe(4));
    await requests(grace).filter({ hasText: '"order":"70"' }).getByRole("link").click();
    await requests(ada).filter({ hasText: '"order":"70"' }).getByRole("link").click();
    await sees(button(ada, "Approve"));
    await button(grace, "Approve").click();
    await waitFor(async () => expect(await requests(ada).count()).toBe(3));
    await isGone(button(ada, "Approve"));
    await sees(ada.getByRole("region", { name: "Answer" }).getByText("grace"));
  });
});
