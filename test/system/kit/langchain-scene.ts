import { AIMessage, type BaseMessage } from "@langchain/core/messages";
import type { StructuredToolInterface } from "@langchain/core/tools";
import {
  type BaseCheckpointSaver,
  END,
  MessagesAnnotation,
  type RetryPolicy,
  START,
  StateGraph,
} from "@langchain/langgraph";
import { ToolNode } from "@langchain/langgraph/prebuilt";
import { type ApprovalDecision, Haft, tool } from "haft";
import { type LedgerAdmin, openLedger } from "haft/ledger";
import { fakeModel } from "langchain";
import { onTestFinished } from "vitest";
import { newSessionLedger } from "../../kit/session-scene.ts";

/** One ledger per test, with any number of runtimes over it as separate processes. */
export const langchainScene = () => {
  const place = newSessionLedger();
  const sent: string[] = [];
  const read: string[] = [];
  const counted: number[] = [];
  const readPage = tool({
    name: "read_page",
    description: "Reads a page of the web",
    input: { type: "object", properties: { url: { type: "string" } }, required: ["url"] },
    annotations: { readOnly: true, openWorld: true },
    run: ({ url }, { progress }) => {
      progress({ read: 1 });
      read.push(url);
      return { words: `Words of ${url}` };
    },
  });
  const sendMail = tool({
    name: "send_mail",
    description: "Sends a mail",
    input: { type: "object", properties: { to: { type: "string" } }, required: ["to"] },
    tags: ["sink"],
    run: ({ to }) => {
      sent.push(to);
      return `sent to ${to}`;
    },
  });
  const count = tool({
    name: "count",
    description: "Counts up",
    input: { type: "object", properties: { by: { type: "integer" } }, required: ["by"] },
    run: ({ by }) => {
      counted.push(by);
      return by;
    },
  });
  const breaks = tool({
    name: "breaks",
    description: "Always fails",
    input: { type: "object" },
    run: () => {
      throw new Error("the disk is full");
    },
  });
  const started = Promise.withResolvers<void>();
  const aborted = Promise.withResolvers<void>();
  const wait = tool({
    name: "wait",
    description: "Waits until it is stopped",
    input: { type: "object" },
    run: (_, { signal }) =>
      new Promise((_resolve, reject) => {
        started.resolve();
        signal.addEventListener("abort", () => {
          aborted.resolve();
          reject(signal.reason);
        });
      }),
  });
  const tools = [readPage, sendMail, count, breaks, wait] as const;
  /** Opens a runtime as another process would: it shares only the ledger. */
  const open = async () => {
    const haft = await Haft.open({
      tools,
      ledger: place,
      principal: { agent: "clerk", allow: ["**"] },
      approver: () => undefined,
    });
    onTestFinished(() => haft.close());
    return haft.session({ id: "letters" });
  };
  const withLedger = async <A>(use: (ledger: LedgerAdmin) => Promise<A>): Promise<A> => {
    const ledger = await openLedger(place);
    try {
      return await use(ledger);
    } finally {
      await ledger.end();
    }
  };
  /** Records an answer as `haft approve` and `haft deny` do, without resuming the call. */
  const answer = (id: string, decision: ApprovalDecision = { kind: "allow" }) =>
    withLedger((ledger) => ledger.answer(id, decision, { by: "ada" }));
  const approvals = () => withLedger((ledger) => ledger.approvals());
  const log = () => withLedger((ledger) => ledger.entries());
  return {
    sent,
    read,
    counted,
    slow: { started: started.promise, aborted: aborted.promise },
    open,
    answer,
    approvals,
    log,
  };
};

export interface WrittenCall {
  readonly name: string;
  readonly args: Record<string, unknown>;
  readonly id: string;
}

/** A call as a model writes it. */
export const writtenCall = (name: string, args: Record<string, unknown>, id: string): WrittenCall => ({
  name,
  args,
  id,
});

/** Reads untrusted content, and then sends a mail that needs approval because of it. */
export const readThenSendCalls = [
  [writtenCall("read_page", { url: "a.example" }, "c1")],
  [writtenCall("send_mail", { to: "bob" }, "c2")],
] as const;

/** The same with two pending mails and one allowed call. */
export const sendTwoCalls = [
  [writtenCall("read_page", { url: "a.example" }, "c1")],
  [
    writtenCall("send_mail", { to: "bob" }, "c2"),
    writtenCall("send_mail", { to: "eve" }, "c3"),
    writtenCall("count", { by: 1 }, "c4"),
  ],
] as const;

/** A model that makes these calls, message by message, and then finishes. */
export const scriptedCallModel = (...messages: readonly (readonly WrittenCall[])[]) => {
  const model = fakeModel();
  for (const calls of messages) model.respondWithTools([...calls]);
  return model.respond(new AIMessage("Done."));
};

/** A hand-written graph with a model and a ToolNode, which throws errors that its policy retries. */
export const toolGraph = (
  model: ReturnType<typeof fakeModel>,
  tools: readonly StructuredToolInterface[],
  checkpointer?: BaseCheckpointSaver,
  retryPolicy?: RetryPolicy,
) =>
  new StateGraph(MessagesAnnotation)
    .addNode("model", async ({ messages }) => ({
      messages: [await model.bindTools([...tools]).invoke(messages)],
    }))
    .addNode(
      "tools",
      new ToolNode([...tools], { handleToolErrors: retryPolicy === undefined }),
      retryPolicy === undefined ? {} : { retryPolicy },
    )
    .addEdge(START, "model")
    .addConditionalEdges("model", ({ messages }) =>
      (messages.at(-1) as AIMessage).tool_calls?.length ? "tools" : END,
    )
    .addEdge("tools", "model")
    .compile(checkpointer === undefined ? {} : { checkpointer });

export const mailRequest = { messages: [{ role: "user", content: "Write to bob." }] };
export const threadConfig = { configurable: { thread_id: "letters" } };

/** Tool results of a conversation: id, status and text. */
export const toolResultsOf = ({ messages }: { readonly messages: readonly BaseMessage[] }) =>
  messages
    .filter((message) => message.type === "tool")
    .map((message) => {
      const { content, status, tool_call_id } = message as BaseMessage & {
        readonly status?: string;
        readonly tool_call_id: string;
      };
      return [tool_call_id, status, content] as const;
    });

export interface InterruptedApproval {
  readonly id: string;
  readonly value: { readonly approvalId: string; readonly input: unknown };
}

/** The approval request for a mail to this recipient. Parallel calls request approval in any order. */
export const interruptedApprovalFor = (result: object, to: string): InterruptedApproval =>
  interruptedApprovals(result).find(({ value }) => (value.input as { readonly to?: string }).to === to)!;

/** The approval requests of an interrupted graph. */
export const interruptedApprovals = (result: object): readonly InterruptedApproval[] =>
  (result as { readonly __interrupt__?: readonly InterruptedApproval[] }).__interrupt__ ?? [];
