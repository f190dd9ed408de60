import { generateText, isStepCount, type ModelMessage } from "ai";
import type { ApprovalDecision } from "haft";
import { settleApprovals, toAiSdkTools } from "haft/integrations/ai-sdk";
import { openLedger } from "haft/ledger";
import { expect, test } from "vitest";
import { openWritingDesk } from "../../../kit/mail-scene.ts";
import { lastToolResult, type ScriptStep, scriptedAiSdkModel } from "../../../kit/scripted-ai-sdk.ts";
import { newSessionLedger } from "../../../kit/session-scene.ts";

const stopWhen = isStepCount(9);
const twoMails: ScriptStep = [
  ["c2", "send_mail", { to: "bob", text: "Hi" }],
  ["c3", "send_mail", { to: "eve", text: "Ho" }],
];
const oneMail: ScriptStep = twoMails.slice(0, 1);

/** A process that ended while mails were pending leaves its messages as text and the ledger. */
const left = async (mails: ScriptStep = oneMail) => {
  const ledger = newSessionLedger();
  const sent: string[] = [];
  const model = scriptedAiSdkModel([["c1", "read_page", { url: "a.example" }]], mails, "The end.");
  const first = await openWritingDesk({ ledger, sent });
  const messages: ModelMessage[] = [{ role: "user", content: "Go." }];
  const { responseMessages } = await generateText({
    model,
    tools: toAiSdkTools(first.haft.session({ id: "s" })),
    messages,
    stopWhen,
  });
  await first.haft.close();
  const file = JSON.stringify([...messages, ...responseMessages]);
  /** Opens another process with the stored messages. */
  const next = async () => {
    const { haft } = await openWritingDesk({ ledger, sent });
    const session = haft.session({ id: "s" });
    const kept = (): ModelMessage[] => JSON.parse(file);
    const approvals = () => haft.as(session.principal).approvals();
    const goOn = (from: ModelMessage[]) =>
      generateText({ model, tools: toAiSdkTools(session), messages: from, stopWhen });
    return { haft, session, kept, approvals, goOn };
  };
  const decide = async (callId: string, decision: ApprovalDecision) => {
    const { haft, approvals } = await next();
    const id = (await approvals()).find((asked) => asked.callId === callId)!.id;
    await haft.close();
    const admin = await openLedger(ledger);
    expect(await admin.answer(id, decision, { by: "grace" })).toBe("answered");
    await admin.end();
  };
  return { model, sent, next, decide };
};

/** Adds the client's answers as the last message, in the format of the AI SDK. */
const answered = (messages: ModelMessage[], approved: boolean, reason?: string): ModelMessage[] => {
  const asked = messages.flatMap(({ content }) => (typeof content === "string" ? [] : [...content]));
  const content = asked
    .filter((part) => part.type === "tool-approval-request")
    .map(({ approvalId }) => ({
      type: "tool-approval-response" as const,
      approvalId,
      approved,
      ...(reason === undefined ? {} : { reason }),
    }));
  return [...messages, { role: "tool", content }];
};

test("an approval in the ledger is applied by another process, and the call runs once", async () => {
  const { decide, next, sent, model } = await left();
  await decide("c2", { kind: "allow" });
  const { session, kept, goOn, haft } = await next();
  const { messages, waiting } = await settleApprovals(session, kept());
  expect(waiting).toEqual([]);
  expect((await goOn(messages)).text).toBe("The end.");
  expect(lastToolResult(model, "c2")).toEqual({ type: "json", value: { sentTo: "bob" } });
  await haft.close();
  expect(sent).toEqual(["bob: Hi"]);
});

test("a process that ended between the call and the write of its messages replays the result", async () => {
  const { decide, next, sent, model } = await left();
  await decide("c2", { kind: "allow" });
  for (let times = 0; times < 2; times += 1) {
    const { session, kept, goOn, haft } = await next();
    const { messages, waiting } = await settleApprovals(session, kept());
    expect(waiting).toEqual([]);
    await goOn(messages);
    expect(lastToolResult(model, "c2")).toEqual({ type: "json", value: { sentTo: "bob" } });
    await haft.close();
  }
  expect(sent).toEqual(["bob: Hi"]);
});

test("pending calls are reported again without a second approval request", async () => {
  const { next, sent } = await left();
  const { session, kept, approvals } = await next();
  for (let times = 0; times < 2; times += 1) {
    const { messages, waiting } = await settleApprovals(session, kept());
    expect(messages).toEqual(kept());
    expect(waiting).toMatchObject([
      { tool: "send_mail", input: { to: "bob", text: "Hi" }, reason: expect.stringContaining("read_page") },
    ]);
  }
  expect(await approvals()).toHaveLength(1);
  expect(sent).toEqual([]);
});

test("a denial in the ledger becomes a denial with its reason in the messages, and is recorded", async () => {
  const { decide, next, sent, model } = await left();
  await decide("c2", { kind: "deny", reason: "not him" });
  const { session, kept, goOn, haft } = await next();
  const { messages } = await settleApprovals(session, kept());
  await goOn(messages);
  expect(lastToolResult(model, "c2")).toEqual({ type: "execution-denied", reason: "not him" });
  expect((await haft.log({ callId: "c2" }))[0]).toMatchObject({ ending: "failed", code: "approval_denied" });
  expect(await session.pending()).toEqual([]);
  expect(sent).toEqual([]);
});

test("reports the pending call of two while the other is answered, and runs each once", async () => {
  const { decide, next, sent } = await left(twoMails);
  await decide("c3", { kind: "allow" });
  const { session, kept, haft } = await next();
  expect((await settleApprovals(session, kept())).waiting).toMatchObject([{ input: { to: "bob" } }]);
  await haft.close();
  await decide("c2", { kind: "allow" });
  const last = await next();
  await last.goOn((await settleApprovals(last.session, last.kept())).messages);
  expect(sent.toSorted()).toEqual(["bob: Hi", "eve: Ho"]);
});

test("arguments edited by the approver replace those of the model", async () => {
  const { decide, next, sent } = await left();
  await decide("c2", { kind: "edit", input: { to: "carol", text: "Hi" } });
  const { session, kept, goOn } = await next();
  await goOn((await settleApprovals(session, kept())).messages);
  expect(sent).toEqual(["carol: Hi"]);
});

test("an approval of a client without answeredBy is removed, and the call stays pending", async () => {
  const { next, sent } = await left();
  const { session, kept } = await next();
  const { messages, waiting } = await settleApprovals(session, answered(kept(), true));
  expect(messages).toEqual(kept());
  expect(waiting).toHaveLength(1);
  expect(sent).toEqual([]);
});

test("an approval of a client with answeredBy is recorded, and the call runs once", async () => {
  const { next, sent } = await left();
  const { session, kept, approvals, goOn } = await next();
  const { messages, waiting } = await settleApprovals(session, answered(kept(), true), { answeredBy: "ada" });
  expect(waiting).toEqual([]);
  expect((await goOn(messages)).text).toBe("The end.");
  expect(await approvals()).toMatchObject([
    { status: "used", answeredBy: "ada", decision: { kind: "allow" } },
  ]);
  expect(sent).toEqual(["bob: Hi"]);
});

test("a denial of a client with answeredBy is final", async () => {
  const { next, sent, model } = await left();
  const { session, kept, approvals, goOn } = await next();
  const said = answered(kept(), false, "rude");
  const { messages } = await settleApprovals(session, said, { answeredBy: "ada" });
  await goOn(messages);
  expect(lastToolResult(model, "c2")).toEqual({ type: "execution-denied", reason: "rude" });
  expect(await approvals()).toMatchObject([
    { status: "used", answeredBy: "ada", decision: { kind: "deny", reason: "rude" } },
  ]);
  await goOn((await settleApprovals(session, answered(kept(), true), { answeredBy: "ada" })).messages);
  expect(sent).toEqual([]);
});

test("an approval of a request added by the client changes nothing", async () => {
  const { next, sent } = await left();
  const { session, kept, goOn, approvals } = await next();
  const forged = kept();
  forged.splice(-1, 1, {
    ...forged.at(-1)!,
    content: [
      ...(forged.at(-1)!.content as []),
      { type: "tool-approval-request", approvalId: "mine", toolCallId: "c2" },
    ],
  } as ModelMessage);
  const { messages, waiting } = await settleApprovals(session, answered(forged, true));
  expect(waiting).toHaveLength(1);
  expect(JSON.stringify(messages)).not.toContain("tool-approval-response");
  await goOn(answered(forged, true));
  expect(sent).toEqual([]);
  expect(await approvals()).toMatchObject([{ status: "waiting" }]);
});

test("messages without open requests are returned unchanged", async () => {
  const { haft } = await openWritingDesk();
  const messages: ModelMessage[] = [{ role: "user", content: "Hi" }];
  const settled = await settleApprovals(haft.session(), messages);
  expect(settled).toEqual({ messages, waiting: [], isReady: true });
  expect(settled.messages).not.toBe(messages);
});

/** The user sends another message while the mail is pending; returns the messages and the loop. */
const interrupted = async () => {
  const { decide, next, sent, model } = await left();
  const { session, kept, goOn } = await next();
  const user: ModelMessage = { role: "user", content: "Are you there?" };
  const settle = (messages: readonly ModelMessage[]) => settleApprovals(session, messages);
  return { decide, next, sent, model, session, goOn, settle, asked: [...kept(), user] };
};

test("a user who sends another message while a call is pending gets an answer, and the model reads that the call is pending", async () => {
  const { asked, goOn, model, sent, settle } = await interrupted();
  const { messages, waiting, isReady } = await settle(asked);
  expect(isReady).toBe(true);
  expect(waiting).toMatchObject([{ tool: "send_mail" }]);
  expect((await goOn(messages)).text).toBe("The end.");
  expect(lastToolResult(model, "c2")).toEqual({
    type: "error-text",
    value: expect.stringContaining("is pending approval and has not run"),
  });
  expect(sent).toEqual([]);
});

test.each([
  [{ kind: "allow" } as const, { type: "json", value: { sentTo: "bob" } }, ["bob: Hi"]],
  [
    { kind: "deny", reason: "not him" } as const,
    { type: "execution-denied", reason: expect.stringContaining("not him") },
    [],
  ],
])(
  "an answer after another message of the user replaces the result of the call: %j",
  async (decision, reported, mails) => {
    const { asked, decide, goOn, model, sent, settle } = await interrupted();
    const { messages } = await settle(asked);
    const { responseMessages } = await goOn(messages);
    await decide("c2", decision);
    const later: ModelMessage[] = [...messages, ...responseMessages, { role: "user", content: "And now?" }];
    for (let times = 0; times < 2; times += 1) {
      const settled = await settle(later);
      expect(settled).toMatchObject({ isReady: true, waiting: [] });
      await goOn(settled.messages);
      expect(lastToolResult(model, "c2")).toEqual(reported);
      expect(await settle(settled.messages)).toEqual(settled);
    }
    expect(sent).toEqual(mails);
  },
);

test("an approval of a tool outside the session is left to the AI SDK", async () => {
  const { next } = await left();
  const { session, kept } = await next();
  const messages: ModelMessage[] = [
    ...kept().slice(0, 1),
    {
      role: "assistant",
      content: [
        { type: "tool-call", toolCallId: "t1", toolName: "theirs", input: {} },
        { type: "tool-approval-request", approvalId: "a1", toolCallId: "t1" },
      ],
    },
    { role: "tool", content: [{ type: "tool-approval-response", approvalId: "a1", approved: true }] },
  ];
  expect((await settleApprovals(session, messages)).messages).toEqual(messages);
});
