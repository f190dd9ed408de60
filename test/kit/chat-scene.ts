import { DefaultChatTransport, readUIMessageStream, type UIMessage, type UIMessageChunk } from "ai";
import { Haft, type HaftOptions, type Principal, tool } from "haft";
import { type Agent, agent } from "haft/agent";
import type { Model } from "haft/models";
import { type AgentHandler, type AgentHandlerOptions, agentHandler } from "haft/ui";
import { onTestFinished } from "vitest";

const text = { type: "string" } as const;

export interface ChatSceneOptions {
  readonly ledger?: HaftOptions["ledger"];
  readonly handler?: Partial<AgentHandlerOptions>;
  readonly helper?: Agent;
}

/** A desk whose clerk looks up orders and refunds them; a refund needs a person. What was done is counted outside. */
export const chatScene = () => {
  const refunds: string[] = [];
  const looked: string[] = [];
  const order = tool({
    name: "find_order",
    description: "Finds an order",
    input: { type: "object", properties: { id: text }, required: ["id"] },
    annotations: { readOnly: true },
    run: ({ id }, { progress }) => {
      looked.push(id);
      progress({ looking: id });
      return { id, total: 12 };
    },
  });
  const refund = tool({
    name: "refund",
    description: "Pays an order back",
    input: { type: "object", properties: { id: text }, required: ["id"] },
    risk: "high",
    run: ({ id }) => {
      refunds.push(id);
      return { refunded: id };
    },
  });
  const broken = tool({
    name: "broken",
    description: "Breaks",
    input: { type: "object" },
    annotations: { readOnly: true },
    output: { type: "object", properties: { rows: { type: "number" } }, required: ["rows"] },
    run: () => ({ rows: "The password of the database is hunter2." }) as never,
  });
  const open = async (model: Model, { handler = {}, helper, ...options }: ChatSceneOptions = {}) => {
    const haft = await Haft.open({ tools: [order, refund, broken], ...options });
    onTestFinished(() => haft.close());
    const desk = agent({
      name: "desk",
      instructions: "Help.",
      model,
      tools: ["find_order", "refund", "broken"],
      ...(helper === undefined ? {} : { handoffs: [helper] }),
    });
    const handle = agentHandler(haft, desk, { principal: personOf, ...handler });
    return { haft, handle };
  };
  return { refunds, looked, open };
};

/** Whoever the header names. */
export const personOf = (request: Request): Principal | undefined => {
  const user = request.headers.get("x-user");
  return user === null ? undefined : { agent: "desk", user, allow: ["*"] };
};

const base = "http://chat.test/api/chat";

/** A page of one person, without a browser: AI SDK's own transport and reader over a handler. */
export const chatPage = (handle: AgentHandler, user = "ada") => {
  const headers = { "x-user": user };
  const fetchIn = (url: string, init: RequestInit = {}): Promise<Response> =>
    handle(new Request(url, { ...init, headers: { ...headers, ...(init.headers as object) } }));
  const transport = new DefaultChatTransport<UIMessage>({
    api: base,
    headers,
    fetch: ((url: string, init?: RequestInit) => fetchIn(url, init)) as typeof fetch,
  });
  const send = (chatId: string, messages: readonly UIMessage[], trigger: Trigger = "submit-message") =>
    transport.sendMessages({
      chatId,
      messages: [...messages],
      trigger,
      messageId: undefined,
      abortSignal: undefined,
    });
  return {
    fetch: (path: string, init?: RequestInit) => fetchIn(`${base}${path}`, init),
    post: (path: string, body: unknown = {}) =>
      fetchIn(`${base}${path}`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(body),
      }),
    send,
    say: (chatId: string, id: string, words: string) => send(chatId, [said(id, words)]),
    resume: (chatId: string) => transport.reconnectToStream({ chatId }),
    show: async (chatId: string): Promise<readonly UIMessage[]> => {
      const response = await fetchIn(`${base}/${chatId}`);
      return ((await response.json()) as { messages?: UIMessage[] }).messages ?? [];
    },
  };
};

type Trigger = "submit-message" | "regenerate-message";

export const said = (id: string, words: string): UIMessage => ({
  id,
  role: "user",
  parts: [{ type: "text", text: words }],
});

/** The message that AI SDK makes of a stream. */
export const readAnswer = async (
  stream: ReadableStream<UIMessageChunk> | null,
  message?: UIMessage,
): Promise<UIMessage> => {
  if (stream === null) throw new Error("Nothing is under way.");
  let last: UIMessage | undefined;
  const errors: unknown[] = [];
  const onError = (error: unknown) => errors.push(error);
  for await (const each of readUIMessageStream({ stream, onError, ...(message && { message }) })) last = each;
  if (errors.length > 0) throw errors[0];
  if (last === undefined) throw new Error("The stream says nothing.");
  return JSON.parse(JSON.stringify(last)) as UIMessage;
};

export const readChunks = async (
  stream: ReadableStream<UIMessageChunk> | null,
): Promise<UIMessageChunk[]> => {
  const chunks: UIMessageChunk[] = [];
  for await (const chunk of stream as unknown as AsyncIterable<UIMessageChunk>) chunks.push(chunk);
  return chunks;
};

/** The message with the person's word on a question in it, as `addToolApprovalResponse` leaves it. */
export const withAnswer = (message: UIMessage, approved: boolean, reason?: string): UIMessage => ({
  ...message,
  parts: message.parts.map((part) =>
    "state" in part && part.state === "approval-requested"
      ? ({ ...part, state: "approval-responded", approval: { ...part.approval, approved, reason } } as never)
      : part,
  ),
});
