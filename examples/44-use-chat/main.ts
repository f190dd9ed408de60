// The chat route without a page: the user asks for a mail, sends another message instead of approving it, and
// then approves it.
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type UIMessage, validateUIMessages } from "ai";

process.env.CHAT_FOLDER = mkdtempSync(join(tmpdir(), "haft-use-chat-"));
const { folder, haft } = await import("./desk.ts");
const { GET, POST } = await import("./route.ts");

const address = "http://127.0.0.1/api/chat";
const load = async (): Promise<UIMessage[]> => {
  const messages = await (await GET(new Request(`${address}?id=c`))).json();
  return await validateUIMessages({ messages });
};
const send = async (message: UIMessage): Promise<string> => {
  const request = new Request(address, { method: "POST", body: JSON.stringify({ id: "c", message }) });
  return await (await POST(request)).text();
};
const user = (id: string, text: string): UIMessage => ({ id, role: "user", parts: [{ type: "text", text }] });
const mailPart = (messages: readonly UIMessage[]) =>
  messages.flatMap(({ parts }) => parts).find(({ type }) => type === "tool-send_mail");

assert.match(await send(user("u1", "Mail bob")), /untrusted content of read_page/);
assert.match(await send(user("u2", "Are you there?")), /is pending approval and has not run/);

const approve = (asked: UIMessage | undefined): UIMessage => ({
  ...asked!,
  parts: asked!.parts.map((part) =>
    "approval" in part && part.state === "approval-requested"
      ? { ...part, state: "approval-responded", approval: { ...part.approval, approved: true } }
      : part,
  ),
});
assert.match(await send(approve((await load())[1])), /"sentTo":"bob"/);
assert.deepEqual((mailPart(await load()) as { output?: unknown }).output, { sentTo: "bob" });
assert.equal(readFileSync(join(folder, "sent"), "utf8"), "bob\n");

// The page shows why a call failed.
await send(user("u3", "Mail nobody"));
await send(approve((await load()).at(-1))); // reading the page
assert.match(await send(approve((await load()).at(-1))), /"errorText":".*failed: There is no such mailbox/);

await haft.close();
rmSync(folder, { recursive: true, force: true });
