import type { Locator, Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { waitFor } from "../../kit/wait-for.ts";
import { start } from "../cli/start.ts";
import type { Scene } from "./kit/scene.ts";
import { isGone, type Store, sees, studioWorld } from "./kit/studio-world.ts";

const log = (page: Page): Locator => page.getByRole("log", { name: "Conversation" });
const answer = (page: Page, text: RegExp): Locator => log(page).getByText(text);
const refunded = /^The desk says: .*"refunded":"33","amount":12.5/;

const say = async (page: Page, message: string): Promise<void> => {
  await page.getByRole("textbox", { name: "Message to desk" }).fill(message);
  await page.getByRole("button", { name: "Send" }).click();
};

/** Starts a chat whose only call needs approval; returns the id of the approval request. */
const pendingChat = async (page: Page, scene: Scene): Promise<string> => {
  await say(page, "Please refund order 33");
  await sees(log(page).getByText("Needs approval", { exact: true }));
  await waitFor(() => expect(page.url()).toContain("chat=run"));
  return (await scene.haft.approvals())[0]!.id;
};

const expectOneRefund = (scene: Scene, amount = 12.5): void =>
  expect(scene.shop.refunds).toEqual([{ order: "33", amount }]);

describe.each<Store>(["sqlite", "postgres"])("chats after an approval over %s", (store) => {
  const world = studioWorld(store);

  it("shows the answer in the same page, in another tab, after a reload, and to the model", async () => {
    const scene = await world.empty();
    const page = await world.visit(scene, "/agents");
    await pendingChat(page, scene);
    const tab = await page.context().newPage();
    await tab.goto(page.url());
    await sees(log(tab).getByText("Needs approval", { exact: true }));
    await log(page).getByRole("button", { name: "Approve" }).click();
    for (const each of [page, tab]) {
      await sees(answer(each, refunded));
      await sees(log(each).getByText("Approved by ada"));
      await sees(log(each).getByRole("group").getByText("done", { exact: true }));
      await isGone(log(each).getByText("needs approval"));
    }
    await page.reload();
    await sees(answer(page, refunded));
    await sees(log(page).getByRole("group").getByText("done", { exact: true }));
    await say(page, "What happened?");
    await sees(answer(page, /^The model read: .*"refunded":"33"/));
    expectOneRefund(scene);
  });

  it("shows the answer after an approval with changes on the approvals page", async () => {
    const scene = await world.empty();
    const page = await world.visit(scene, "/agents");
    const id = await pendingChat(page, scene);
    const grace = await world.visit(scene, `/approvals?id=${id}`, { name: "grace" });
    await grace.getByRole("button", { name: "Edit", exact: true }).click();
    await grace.getByRole("textbox", { name: /^amount/ }).fill("7.5");
    await grace.getByRole("button", { name: "Approve with changes" }).click();
    await sees(answer(page, /^The desk says: .*"amount":7.5/));
    await sees(log(page).getByText("Approved with changes by grace"));
    expectOneRefund(scene, 7.5);
  });

  it("shows the answer after a denial", async () => {
    const scene = await world.empty();
    const page = await world.visit(scene, "/agents");
    await pendingChat(page, scene);
    await log(page).getByRole("button", { name: "Deny" }).click();
    await sees(answer(page, /^The desk says: .*was not approved/));
    await sees(log(page).getByText("Denied by ada"));
    await sees(log(page).getByRole("group").getByText("failed", { exact: true }));
    expect(scene.shop.refunds).toEqual([]);
  });

  it("shows the answer after haft approve in another process", async () => {
    const scene = await world.empty();
    const page = await world.visit(scene, "/agents");
    await approveInTerminal(scene, await pendingChat(page, scene));
    await sees(answer(page, refunded));
    await sees(log(page).getByText("Approved by a terminal"));
    expectOneRefund(scene);
  });

  it("shows the answer when the server was restarted after the approval, without a reload", async () => {
    const scene = await world.empty();
    const page = await world.visit(scene, "/agents");
    const id = await pendingChat(page, scene);
    await scene.stop();
    await approveInTerminal(scene, id);
    expect(scene.shop.refunds).toEqual([]);
    await scene.start();
    await sees(answer(page, refunded));
    await page.reload();
    await sees(log(page).getByText("Please refund order 33"));
    await sees(answer(page, refunded));
    expectOneRefund(scene);
  });

  it("shows an answer that was written outside the Studio, also to the model", async () => {
    const scene = await world.empty();
    const page = await world.visit(scene, "/agents");
    const id = await pendingChat(page, scene);
    await scene.stop();
    await approveInTerminal(scene, id);
    const [run] = await scene.haft.runs();
    await scene.haft.run(scene.desk, undefined, { resume: run!.runId });
    await scene.start();
    await sees(answer(page, refunded));
    await say(page, "What happened?");
    await sees(answer(page, /^The model read: .*"refunded":"33"/));
    expectOneRefund(scene);
  });
});

const approveInTerminal = async ({ ledger }: Scene, id: string): Promise<void> => {
  const env = { HAFT_LEDGER_KEY: process.env.HAFT_LEDGER_KEY ?? "" };
  const { ended } = start(["approve", id, "--by", "a terminal", "--ledger", ledger], { env });
  expect(await ended).toMatchObject({ code: 0 });
};
