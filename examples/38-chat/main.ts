// A chat page in a browser: streamed text, tool cards, an approval by click, a reload during an answer, two
// tabs, another user, and a server that is killed during an answer.
import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { launchBrowser, type Page } from "../../test/system/kit/launch-browser.ts";
import { buildPage } from "./build-page.ts";

const folder = mkdtempSync(join(tmpdir(), "haft-chat-"));
const pictures = process.env.CHAT_PICTURES;
const servers: ChildProcess[] = [];

/** Starts the server, and returns its address. */
const start = async (port = 0): Promise<string> => {
  const app = fileURLToPath(new URL("./app.ts", import.meta.url));
  const env = { ...process.env, CHAT_FOLDER: folder, PORT: String(port) };
  const server = spawn(process.execPath, [app], { env, stdio: ["ignore", "pipe", "inherit"] });
  servers.push(server);
  const [line] = await once(server.stdout!, "data");
  return String(line).trim();
};

const kill = async (): Promise<void> => {
  const server = servers.pop()!;
  const gone = once(server, "exit");
  server.kill("SIGKILL");
  await gone;
};

const refunds = (): string =>
  existsSync(join(folder, "refunds")) ? readFileSync(join(folder, "refunds"), "utf8") : "";

const say = async (page: Page, words: string): Promise<void> => {
  await page.getByRole("button", { name: "Send" }).waitFor();
  await page.getByLabel("Message").fill(words);
  await page.getByLabel("Message").press("Enter");
};

const sees = (page: Page, words: string): Promise<void> => page.getByText(words).last().waitFor();

const picture = async (page: Page, name: string): Promise<void> => {
  if (pictures !== undefined) await page.screenshot({ path: join(pictures, `${name}.png`) });
};

await buildPage(join(folder, "page"));
const address = await start();
const browser = await launchBrowser();
try {
  const ada = await browser.newContext({ viewport: { width: 760, height: 800 } });
  const page = await ada.newPage();
  const complaints: string[] = [];
  page.on("pageerror", (error) => complaints.push(String(error)));
  await page.goto(address);
  const chat = page.url();

  await say(page, "What is order 7?");
  await sees(page, "24.00 euros");
  await sees(page, "output available");
  await picture(page, "1-card");

  await say(page, "Please refund 7.");
  await page.getByRole("button", { name: "Deny" }).click();
  await sees(page, "Nothing was paid back");
  await sees(page, "output denied");
  assert.equal(refunds(), "");

  await say(page, "Refund 8 after all.");
  await page.getByRole("button", { name: "Allow" }).last().waitFor();
  await picture(page, "2-question");
  await page.reload();
  await page.getByRole("button", { name: "Allow" }).last().click();
  await sees(page, "teapot number 5 sang");
  assert.equal(refunds(), "8\n");

  // A reload during the answer, and a second tab.
  await page.reload();
  await sees(page, "teapot number 20 sang");
  const tab = await ada.newPage();
  await tab.goto(chat);
  await sees(tab, "teapot number 25 sang");
  await picture(tab, "3-second-tab");
  await Promise.all([sees(page, "the end."), sees(tab, "the end.")]);
  await tab.close();

  // Another user with the same URL.
  const bob = await browser.newContext();
  await bob.addCookies([{ name: "user", value: "bob", url: address }]);
  const other = await bob.newPage();
  await other.goto(chat);
  await other.getByText("Order desk").waitFor();
  assert.equal(await other.locator("article").count(), 0);
  await bob.close();

  // The server is killed after the refund during the answer; another one continues when the page is reloaded.
  await say(page, "Refund 9.");
  await page.getByRole("button", { name: "Allow" }).last().click();
  await sees(page, "Order 9 is paid back");
  await kill();
  await page.getByRole("alert").waitFor();
  await picture(page, "4-killed");
  await start(Number(new URL(address).port));
  await page.reload();
  await sees(page, "Order 9 is paid back");
  await page.getByText("the end.").nth(1).waitFor();
  await picture(page, "5-gone-on");
  assert.equal(refunds(), "8\n9\n");
  assert.equal(await page.locator("article.user").count(), 4);

  // Stops an answer.
  await say(page, "Tell me a story.");
  await sees(page, "Once upon a time");
  await page.getByRole("button", { name: "Stop" }).click();
  await page.getByRole("button", { name: "Send" }).waitFor();
  assert.equal(await page.getByText("the end.").count(), 2);
  assert.deepEqual(complaints, []);
  console.log("One page, one handler: asked, allowed, reloaded, killed, and every refund was made once.");
} finally {
  await browser.close();
  await Promise.all(servers.map(kill));
  rmSync(folder, { recursive: true, force: true });
}
