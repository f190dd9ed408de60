// The desk of the example: tools, a scripted model, and messages in files.
import { appendFileSync, existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { UIMessage } from "ai";
import { MockLanguageModelV4 } from "ai/test";
import { Haft, tool } from "haft";

export const folder = process.env.CHAT_FOLDER ?? ".";

const readPage = tool({
  name: "read_page",
  description: "Reads a web page.",
  input: { type: "object", properties: { url: { type: "string" } }, required: ["url"] },
  annotations: { readOnly: true, openWorld: true },
  run: ({ url }) => `The text of ${url}`,
});
const sendMail = tool({
  name: "send_mail",
  description: "Sends a mail.",
  input: { type: "object", properties: { to: { type: "string" } }, required: ["to"] },
  annotations: { openWorld: true },
  run: ({ to }) => {
    if (to === "nobody") throw new Error("There is no such mailbox.");
    appendFileSync(join(folder, "sent"), `${to}\n`);
    return { sentTo: to };
  },
});

//#region runtime
export const haft = await Haft.open({
  tools: [readPage, sendMail],
  ledger: `sqlite:${join(folder, "chat.db")}`,
});
//#endregion

type Options = Parameters<MockLanguageModelV4["doStream"]>[0];
type Part =
  Awaited<ReturnType<MockLanguageModelV4["doStream"]>>["stream"] extends ReadableStream<infer P> ? P : never;

/** "Mail ada" reads a page and sends a mail. Any other message is answered with the results so far. */
const reply = (prompt: Options["prompt"]): readonly Part[] => {
  const last = prompt.at(-1);
  const name = JSON.stringify(prompt.findLast(({ role }) => role === "user")).match(/[Mm]ail (\w+)/)?.[1];
  const id = `${prompt.length}-${name}`;
  const results = prompt.flatMap(({ role, content }) => (role === "tool" ? content : []));
  const read = results.flatMap((part) => (part.type === "tool-result" ? [part] : []));
  if (name !== undefined && last?.role === "user") {
    const input = JSON.stringify({ url: "a.example" });
    return [{ type: "tool-call", toolCallId: `read-${id}`, toolName: "read_page", input }];
  }
  if (name !== undefined && read.at(-1)?.toolName === "read_page") {
    const input = JSON.stringify({ to: name });
    return [{ type: "tool-call", toolCallId: `mail-${id}`, toolName: "send_mail", input }];
  }
  const outputs = read.filter(({ toolName }) => toolName === "send_mail").map(({ output }) => output);
  return [
    { type: "text-start", id },
    { type: "text-delta", id, delta: `Mails so far: ${JSON.stringify(outputs)}` },
    { type: "text-end", id },
  ];
};

const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
};

export const model = new MockLanguageModelV4({
  doStream: async ({ prompt }) => {
    const parts = reply(prompt);
    const unified = parts[0]?.type === "tool-call" ? ("tool-calls" as const) : ("stop" as const);
    const end: Part = { type: "finish", usage, finishReason: { unified, raw: undefined } };
    return { stream: ReadableStream.from<Part>([...parts, end]) };
  },
});

const fileOf = (chat: string): string => join(folder, "chats", `${encodeURIComponent(chat)}.json`);

export const loadChat = (chat: string): UIMessage[] =>
  existsSync(fileOf(chat)) ? JSON.parse(readFileSync(fileOf(chat), "utf8")) : [];

export const saveChat = (chat: string, messages: readonly UIMessage[]): void => {
  mkdirSync(join(folder, "chats"), { recursive: true });
  writeFileSync(`${fileOf(chat)}.new`, JSON.stringify(messages));
  renameSync(`${fileOf(chat)}.new`, fileOf(chat));
};

/** Replace this by your own login. */
export const userOf = (request: Request): string =>
  /user=(\w+)/.exec(request.headers.get("cookie") ?? "")?.[1] ?? "ada";
