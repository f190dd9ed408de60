import type { Locator, Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { waitFor } from "../../kit/wait-for.ts";
import { isGone, type Store, sees, studioWorld } from "./kit/studio-world.ts";

const chat = (page: Page, agent = "desk"): Locator =>
  page.getByRole("region", { name: `Chat with ${agent}` });
const log = (page: Page, agent = "desk"): Locator => chat(page, agent).getByRole("log");

const say = async (page: Page, words: string, agent = "desk"): Promise<void> => {
  await chat(page, agent)
    .getByRole("textbox", { name: `Message to ${agent}` })
    .fill(words);
  await chat(page, agent).getByRole("button", { name: "Send" }).click();
};

describe.each<Store>(["sqlite", "postgres"])("chats with agents over %s", (store) => {
  const world = studioWorld(store);

  it("an answer streams, calls are cards, and the next message has the earlier ones as context", async () => {
    const scene = await world.empty();
    const page = await world.visit(scene, "/agents");
    await say(page, "Tell me a story");
    await sees(log(page).getByText("Once upon", { exact: true }));
    await sees(chat(page).getByRole("button", { name: "Stop" }));
    scene.gates.open("story");
    await sees(log(page).getByText("Once upon a time", { exact: true }));
    scene.gates.open("story");
    await sees(log(page).getByText("Once upon a time it ended."));
    await say(page, "Compare orders 7 and 8");
    await sees(log(page).getByText("Both cost twelve; the warehouse is silent."));
    const cards = log(page).getByRole("group");
    expect(await cards.count()).toBe(3);
    await cards.last().getByText("check_stock", { exact: true }).click();
    await sees(cards.last().getByText(/The warehouse does not answer about lamp/));
    await sees(chat(page).getByText(/tokens in, \d+ out/));
    await chat(page).getByRole("link", { name: "View run" }).click();
    await sees(page.getByRole("region", { name: "Conversation" }).getByText("Tell me a story"));
  });

  it("Stop cancels an answer, and New chat opens an empty chat", async () => {
    const scene = await world.empty();
    const page = await world.visit(scene, "/agents");
    await say(page, "Tell me a story");
    await sees(log(page).getByText("Once upon", { exact: true }));
    await chat(page).getByRole("button", { name: "Stop" }).click();
    await sees(log(page).getByText("Stopped."));
    await chat(page).getByRole("button", { name: "New chat" }).click();
    await isGone(log(page).getByText("Once upon", { exact: true }));
    await waitFor(async () =>
      expect((await scene.haft.runs()).map(({ status }) => status)).toEqual(["cancelled"]),
    );
  });

  it("a reload during a stream shows the text so far, and continues it", async () => {
    const scene = await world.empty();
    const page = await world.visit(scene, "/agents");
    await say(page, "Tell me a story");
    await sees(log(page).getByText("Once upon", { exact: true }));
    await page.reload();
    await sees(log(page).getByText("Tell me a story"));
    await sees(log(page).getByText("Once upon", { exact: true }));
    await sees(chat(page).getByRole("button", { name: "Stop" }));
    scene.gates.open("story");
    await sees(log(page).getByText("Once upon a time", { exact: true }));
    scene.gates.open("story");
    await sees(log(page).getByText("Once upon a time it ended."));
    await say(page, "Compare orders 7 and 8");
    await sees(log(page).getByText("Both cost twelve; the warehouse is silent."));
    expect((await scene.haft.runs()).map(({ status }) => status)).toEqual(["done", "done"]);
  });

  it("a run continues after its page is left, and the page shows the answer on return", async () => {
    const scene = await world.empty();
    const page = await world.visit(scene, "/agents");
    await say(page, "Tell me a story");
    await sees(log(page).getByText("Once upon", { exact: true }));
    await page.getByRole("link", { name: "Runs", exact: true }).click();
    await sees(page.getByRole("row", { name: /desk running/ }));
    scene.gates.open("story");
    scene.gates.open("story");
    await sees(page.getByRole("row", { name: /desk done/ }));
    await page.goBack();
    await sees(log(page).getByText("Once upon a time it ended."));
  });

  it("one agent with two libraries answers in two columns", async () => {
    const scene = await world.empty();
    const page = await world.visit(scene, "/agents");
    await page.getByRole("combobox", { name: "Agent", exact: true }).selectOption("pricer, old list");
    await page.getByRole("combobox", { name: "Second agent" }).selectOption("pricer, new list");
    await say(page, "What is the price?", "pricer, old list");
    await say(page, "What is the price?", "pricer, new list");
    await sees(log(page, "pricer, old list").getByText('The answer is {"price":12}'));
    await sees(log(page, "pricer, new list").getByText('The answer is {"price":15}'));
    await page.reload();
    await sees(chat(page, "pricer, new list"));
  });
});
