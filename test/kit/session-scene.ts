import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Haft, tool } from "haft";
import { onTestFinished } from "vitest";

export type SessionSceneOptions = Partial<Omit<Parameters<typeof Haft.open>[0], "tools">>;

const text = { type: "string" } as const;

/** An agent that reads pages and sends mail. Sent mail is recorded outside of every runtime. */
export const sessionScene = () => {
  const sent: string[] = [];
  const read: string[] = [];
  const readPage = tool({
    name: "read_page",
    description: "Reads a page of the web",
    input: { type: "object", properties: { url: text }, required: ["url"] },
    annotations: { readOnly: true, openWorld: true },
    run: ({ url }) => {
      read.push(url);
      return `Untrusted text of ${url}.`;
    },
  });
  const sendMail = tool({
    name: "send_mail",
    description: "Sends a mail",
    input: { type: "object", properties: { to: text, subject: text }, required: ["to"] },
    tags: ["sink", "trusted"],
    run: ({ to }) => {
      sent.push(to);
      return { sent: to };
    },
  });
  const look = tool({
    name: "look",
    description: "Reads our own notes",
    input: { type: "object" },
    annotations: { readOnly: true },
    run: () => "notes",
  });
  const pay = tool({
    name: "pay",
    description: "Costs what it says",
    input: { type: "object", properties: { amount: { type: "number" } }, required: ["amount"] },
    run: ({ amount }, { cost }) => {
      cost(amount);
      return { paid: amount };
    },
  });
  const open = async (options: SessionSceneOptions = {}) => {
    const haft = await Haft.open({
      tools: [readPage, sendMail, look, pay],
      principal: { agent: "clerk", allow: ["*"] },
      ...options,
    });
    onTestFinished(() => haft.close());
    return haft;
  };
  return { sent, read, open };
};

/** A place for a ledger that several runtimes share. */
export const newSessionLedger = (): string => {
  const folder = mkdtempSync(join(tmpdir(), "haft-session-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return `sqlite:${join(folder, "ledger.db")}`;
};

export const mailCall = (id: string, to: string) => ({ id, tool: "send_mail", input: { to } });
export const pageCall = (id: string, url: string) => ({ id, tool: "read_page", input: { url } });
