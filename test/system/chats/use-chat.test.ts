import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type UIMessage, validateUIMessages } from "ai";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, it, onTestFinished } from "vitest";
import { buildPage } from "../../../examples/38-chat/build-page.ts";
import { openLedger } from "../../../src/exports/ledger.ts";
import type { ApprovalDecision, ApprovalRecord } from "../../../src/types/approval.ts";
import { waitFor } from "../../kit/wait-for.ts";
import { bundleProgram } from "../kit/bundle-program.ts";
import { launchBrowser } from "../kit/launch-browser.ts";

let folder = "";
let program = "";
let browser: Browser;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "haft-use-chat-"));
  await buildPage(join(folder, "page"), new URL("../../../examples/44-use-chat/page", import.meta.url));
  program = await bundleProgram(new URL("use-chat-server.ts", import.meta.url), folder);
  browser = await launchBrowser();
});

afterAll(async () => {
  await browser?.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Starts the example's server in its own process and opens its page in the browser. */
const scene = async () => {
  const place = mkdtempSync(join(folder, "chat-"));
  mkdirSync(join(place, "chats"));
  let server: ChildProcess | undefined;
  let port = 0;
  const start = async (more: Readonly<Record<string, string>> = {}): Promise<void> => {
    const env = { ...process.env, CHAT_FOLDER: place, ...more };
    const words = ["--no-warnings", program, join(folder, "page"), String(port)];
    server = spawn(process.execPath, words, { env, stdio: ["ignore", "pipe", "inherit"] });
    const [line] = await once(server.stdout!, "data");
    port = Number(String(line).trim());
  };
  const kill = async (): Promise<void> => {
    const gone = once(server!, "exit");
    server!.kill("SIGKILL");
    await gone;
  };
  const exited = (): Promise<unknown> => waitFor(() => expect(server!.signalCode).toBe("SIGKILL"));
  await start();
  onTestFinished(() => void server?.kill("SIGKILL"));

  const context = await browser.newContext();
  onTestFinished(() => context.close());
  const page = await context.newPage();
  const complaints: string[] = [];
  const sent: UIMessage[] = [];
  page.on("pageerror", (error) => complaints.push(String(error)));
  page.on("request", (request) => {
    const body = request.method() === "POST" ? request.postData() : null;
    if (body !== null) sent.push(JSON.parse(body).message);
  });
  await page.goto(`http://127.0.0.1:${port}/#c`);

  const stored = (): UIMessage[] =>
    readdirSync(join(place, "chats"))
      .filter((file) => file.endsWith(".json"))
      .flatMap((file) => JSON.parse(readFileSync(join(place, "chats", file), "utf8")));
  /** Validates every stored message and every message the page has sent with the AI SDK. */
  const checkMessages = async (): Promise<readonly UIMessage[]> => {
    const messages = stored();
    await validateUIMessages({ messages });
    for (const message of sent) await validateUIMessages({ messages: [message] });
    expect(complaints).toEqual([]);
    expect(await page.getByRole("alert").count()).toBe(0);
    return messages;
  };
  const withLedger = async <A>(work: (admin: Awaited<ReturnType<typeof openLedger>>) => Promise<A>) => {
    const admin = await openLedger(`sqlite:${join(place, "chat.db")}`);
    try {
      return await work(admin);
    } finally {
      await admin.end();
    }
  };
  const approvals = (): Promise<readonly ApprovalRecord[]> => withLedger((admin) => admin.approvals());
  const answerElsewhere = async (decision: ApprovalDecision): Promise<void> => {
    const open = (await approvals()).find(({ status }) => status === "waiting")!;
    expect(await withLedger((admin) => admin.answer(open.id, decision, { by: "grace" }))).toBe("answered");
  };
  const mails = (): string => {
    const file = join(place, "sent");
    return existsSync(file) ? readFileSync(file, "utf8") : "";
  };
  const say = async (words: string): Promise<void> => {
    await page.getByLabel("Message").fill(words);
    await page.getByRole("button", { name: "Send" }).click();
  };
  const card = (state: string) => page.locator(".card", { hasText: state });
  const cardIs = (state: string, count = 1): Promise<unknown> =>
    waitFor(async () => expect(await card(state).count()).toBe(count));
  const sees = (words: string): Promise<void> =>
    page.getByText(words, { exact: false }).last().waitFor({ timeout: 90_000 });
  return {
    page,
    start,
    kill,
    exited,
    checkMessages,
    approvals,
    answerElsewhere,
    mails,
    say,
    card,
    cardIs,
    sees,
  };
};

it("shows why approval is required, and an approval in the page runs the call once", async () => {
  const { page, say, sees, cardIs, mails, checkMessages, approvals } = await scene();
  await say("Mail bob");
  await sees("untrusted content of read_page is in the conversation");
  const [asked] = await approvals();
  await sees(`(approval ${asked!.id})`);
  await checkMessages();
  await page.getByRole("button", { name: "Allow" }).click();
  await sees('"sentTo":"bob"');
  await sees("Mails so far");
  await cardIs("output-available", 2);
  await checkMessages();
  await page.reload();
  await cardIs("output-available", 2);
  expect(mails()).toBe("bob\n");
  expect(await approvals()).toMatchObject([{ status: "used", answeredBy: "ada" }]);
});

it("a refusal in the page is recorded, and nothing runs", async () => {
  const { page, say, sees, cardIs, mails, checkMessages, approvals } = await scene();
  await say("Mail bob");
  await page.getByRole("button", { name: "Deny" }).click();
  await sees("Mails so far");
  await cardIs("output-denied");
  await checkMessages();
  await page.reload();
  await cardIs("output-denied");
  await say("Hello");
  await page.getByText("Mails so far").nth(1).waitFor();
  await checkMessages();
  expect(mails()).toBe("");
  expect(await approvals()).toMatchObject([{ answeredBy: "ada", decision: { kind: "deny" } }]);
});

it("a user who sends another message instead gets an answer, and can still approve the first call", async () => {
  const { page, say, sees, cardIs, mails, checkMessages } = await scene();
  await say("Mail bob");
  await cardIs("approval-requested");
  await say("Hello?");
  await sees("is pending approval and has not run");
  await cardIs("approval-requested");
  await checkMessages();
  await page.getByRole("button", { name: "Allow" }).click();
  await cardIs("output-available", 2);
  await checkMessages();
  expect(mails()).toBe("bob\n");
  await say("And now?");
  await page.getByText('[{"type":"json","value":{"sentTo":"bob"}}]').waitFor();
  await page.reload();
  await cardIs("output-available", 2);
  await checkMessages();
  expect(mails()).toBe("bob\n");
});

it("an approval given elsewhere continues the chat in the page", async () => {
  const { say, sees, cardIs, mails, checkMessages, answerElsewhere } = await scene();
  await say("Mail bob");
  await cardIs("approval-requested");
  await answerElsewhere({ kind: "allow" });
  await sees('"sentTo":"bob"');
  await sees("Mails so far");
  await checkMessages();
  expect(mails()).toBe("bob\n");
});

it("a refusal given elsewhere appears in the page with its reason", async () => {
  const { page, say, sees, cardIs, mails, checkMessages, answerElsewhere } = await scene();
  await say("Mail bob");
  await cardIs("approval-requested");
  await answerElsewhere({ kind: "deny", reason: "not him" });
  await cardIs("output-denied");
  await sees("not him");
  await checkMessages();
  await page.reload();
  await cardIs("output-denied");
  expect(mails()).toBe("");
});

it("an approval given elsewhere after another message of the user shows its result in the earlier message", async () => {
  const { page, say, sees, cardIs, mails, checkMessages, answerElsewhere } = await scene();
  await say("Mail bob");
  await cardIs("approval-requested");
  await say("Hello?");
  await sees("is pending approval and has not run");
  await answerElsewhere({ kind: "allow" });
  await cardIs("output-available", 2);
  const messages = await checkMessages();
  expect(messages.map(({ role }) => role)).toEqual(["user", "assistant", "user", "assistant"]);
  await page.reload();
  await cardIs("output-available", 2);
  expect(mails()).toBe("bob\n");
});

it.each([
  ["in the page", false],
  ["elsewhere while it was down", true],
])(
  "a server killed while a call is pending resumes it after a restart: approved %s",
  async (_, isElsewhere) => {
    const { page, say, sees, card, cardIs, mails, checkMessages, answerElsewhere, kill, start } =
      await scene();
    await say("Mail bob");
    await card("approval-requested").waitFor();
    await kill();
    if (isElsewhere) await answerElsewhere({ kind: "allow" });
    await start();
    await page.reload();
    if (!isElsewhere) await page.getByRole("button", { name: "Allow" }).click();
    await sees('"sentTo":"bob"');
    await sees("Mails so far");
    await cardIs("output-available", 2);
    await checkMessages();
    expect(mails()).toBe("bob\n");
  },
);

it("reports an unknown effect after a kill during the approved call, and does not repeat it", async () => {
  const { page, say, sees, cardIs, mails, checkMessages, kill, start, exited } = await scene();
  await say("Mail bob");
  await cardIs("approval-requested");
  await kill();
  await start({ DIE_AFTER_SENDING: "1" });
  await page.reload();
  await page.getByRole("button", { name: "Allow" }).click();
  await exited();
  await start();
  await page.reload();
  await cardIs("output-error");
  await sees("was running when its process ended");
  await checkMessages();
  await say("And now?");
  await page.getByText("Mails so far").nth(1).waitFor();
  await checkMessages();
  expect(mails()).toBe("bob\n");
});
