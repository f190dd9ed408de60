import { type ApprovalDecision, type ApprovalRecord, Haft, tool } from "haft";
import { openLedger } from "haft/ledger";
import { afterEach } from "vitest";
import { newSessionLedger } from "../../kit/session-scene.ts";

const text = { type: "string" } as const;

/** Effects of the mail tools. */
export interface MailToolLog {
  /** Recipients of sent mails, in order. */
  readonly sent: string[];
  /** Tools that were aborted while they waited. */
  readonly aborted: string[];
}

const createMailTools = ({ sent, aborted }: MailToolLog) =>
  [
    tool({
      name: "read_page",
      description: "Reads a page of the web.",
      input: { type: "object", properties: { url: text }, required: ["url"] },
      annotations: { readOnly: true, openWorld: true },
      run: ({ url }: { readonly url: string }) => `Words of ${url}`,
    }),
    tool({
      name: "send_mail",
      description: "Sends a mail.",
      input: {
        type: "object",
        properties: { to: text, cc: text },
        required: ["to"],
        additionalProperties: false,
      },
      annotations: { openWorld: true },
      run: ({ to }: { readonly to: string }) => {
        sent.push(to);
        return { sentTo: to };
      },
    }),
    tool({
      name: "break-down",
      description: "Fails whenever it is called.",
      input: { type: "object", properties: {} },
      run: () => {
        throw new Error("The pump is broken.");
      },
    }),
    tool({
      name: "wait_long",
      description: "Reports its progress, and runs until it is stopped.",
      input: { type: "object", properties: {} },
      run: (_input: unknown, { progress, signal }) => {
        progress({ done: 1 });
        return new Promise((resolve) => {
          signal.addEventListener("abort", () => {
            aborted.push("wait_long");
            resolve("stopped");
          });
        });
      },
    }),
  ] as const;

type DeskTools = ReturnType<typeof createMailTools>;

/** A ledger in a file, with any number of runtimes over it as separate processes. */
export interface MailDesk extends MailToolLog {
  readonly open: () => Promise<Haft<DeskTools>>;
  /** Records an answer as `haft approve` and `haft deny` do. */
  readonly answer: (approvalId: string, decision: ApprovalDecision) => Promise<void>;
  /** All approval requests. */
  readonly asked: () => Promise<readonly ApprovalRecord[]>;
}

/** For the tests of one file; runtimes are closed when their test ends. */
export const createMailDesks = (): (() => MailDesk) => {
  let opened: { close: () => Promise<void> }[] = [];
  afterEach(async () => {
    for (const each of opened) await each.close();
    opened = [];
  });
  return () => {
    const place = newSessionLedger();
    const done: MailToolLog = { sent: [], aborted: [] };
    return {
      ...done,
      open: async () => {
        const haft = await Haft.open({
          tools: createMailTools(done),
          ledger: place,
          principal: { agent: "desk", allow: ["*"] },
        });
        opened.push(haft);
        return haft;
      },
      answer: async (approvalId, decision) => {
        const ledger = await openLedger(place);
        const said = await ledger.answer(approvalId, decision, { by: "ada" });
        await ledger.end();
        if (said !== "answered") throw new Error(`The answer does not count: ${said}.`);
      },
      asked: async () => {
        const ledger = await openLedger(place);
        const records = await ledger.approvals();
        await ledger.end();
        return records;
      },
    };
  };
};
