import { DefaultChatTransport, readUIMessageStream, type UIMessage, type UIMessageChunk } from "ai";
import { Haft, type HaftOptions, type Principal, tool } from "haft";
import { type Agent, agent } from "haft/agent";
import { type AgentHandler, type AgentHandlerOptions, agentHandler } from "haft/chat";
import type { Model } from "haft/models";
import { onTestFinished } from "vitest";

const stringSchema = { type: "string" } as const;

export interface ChatSceneOptions {
  readonly ledger?: HaftOptions["ledger"];
  readonly handler?: Partial<AgentHandlerOptions>;
  readonly helper?: Agent;
}

/**
 * An agent that looks up orders and refunds them; a refund requires approval. Effects are recorded outside of
 * the runtime.
 */
export const chatScene = () => {
  const refunds: string[] = [];
  const lookups: string[] = [];
  const order = tool({
    name: "find_order",
    description: "Finds an order",
    input: { type: "object", properties: { id: stringSchema }, required: ["id"] },
    annotations: { readOnly: true },
    run: ({ id }, { progress }) => {
      lookups.push(id);
      progress({ looking: id });
      return { id, total: 12 };
    },
  });
  const refund = tool({
    name: "refund",
    description: "Pays an order back",
    input: { type: "object", properties: { id: stringSchema }, required: ["id"] },
    risk: "high",
    run: ({ id }) => {
      refunds.push(id);
      return { refunded: id };
    },
  });
  const failingTool = tool({
    name: "broken",
    description: "Breaks",
    input: { type: "object" },
    annotations: { readOnly: true },
    output: { type: "object", properties: { rows: { type: "number" } }, required: ["rows"] },
    run: () => ({ rows: "The password of the database is hunter2." }) as never,
  });
  const open = async (model: Model, { handler = {}, helper, ...options }: ChatSceneOptions = {}) => {
    const haft = await Haft.open({ tools: [order, refund, failingTool], ...options });
    onTestFinished(() => haft.close());
    const desk = agent({
      name: "desk",
      instructions: "Help.",
      model,
      tools: ["find_order", "refund", "broken"],
      ...(helper === undefined ? {} : { handoffs: [helper] }),
    });
    const handle = agentHandler(haft, desk, { principal: principalFromHeader, ...handler });
    return { haft, handle };
  };
  return { refunds, looked: lookups, open };
};

/** The principal of the user that the header names. */
export const principalFromHeader = (request: Request): Principal | undefined => {
  const user = request.headers.get("x-user");
  return user === null ? undefined : { agent: "desk", user, allow: ["*"] };
};

const chatUrl = "http://chat.test/api/chat";

/** A chat page without a browser: the AI SDK's transport and reader over a handler. */
export const openChatPage = (handle: AgentHandler, user = "ada") => {
  const headers = { "x-user": user };
  const fetchIn = (url: string, init: RequestInit = {}): Promise<Response> =>
    handle(new Request(url, { ...init, headers: { ...headers, ...(init.headers as object) } }));
  const transport = new DefaultChatTransport<UIMessage>({
    api: chatUrl,
    headers,
    fetch: ((url: string, init?: RequestInit) => fetchIn(url, init)) as typeof fetch,
  });
  const send = (chatId: string, messages: readonly UIMessage[], trigger: ChatTrigger = "submit-message") =>
    transport.sendMessages({
      chatId,
      messages: [...messages],
      trigger,
      messageId: undefined,
      abortSignal: undefined,
    });
  return {
    fetch: (path: string, init?: RequestInit) => fetchIn(`${chatUrl}${path}`, init),
    post: (path: string, body: unknown = {}) =>
      fetchIn(`${chatUrl}${path}`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(body),
      }),
    send,
    say: (chatId: string, id: string, words: string) => send(chatId, [userUiMessage(id, words)]),
    resume: (chatId: string) => transport.reconnectToStream({ chatId }),
    show: async (chatId: string): Promise<readonly UIMessage[]> => {
      const response = await fetchIn(`${chatUrl}/${chatId}`);
      return ((await response.json()) as { messages?: UIMessage[] }).messages ?? [];
    },
  };
};

type ChatTrigger = "submit-message" | "regenerate-message";

export const userUiMessage = (id: string, text: string): UIMessage => ({
  id,
  role: "user",
  parts: [{ type: "text", text: text }],
});

/** The message that the AI SDK assembles from a stream. */
export const readUiMessage = async (
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

/** The message with the user's answer to an approval request, as `addToolApprovalResponse` leaves it. */
export const withApprovalResponse = (message: UIMessage, approved: boolean, reason?: string): UIMessage => ({
  ...message,
  parts: message.parts.map((part) =>
    "state" in part && part.state === "approval-requested"
      ? ({ ...part, state: "approval-responded", approval: { ...part.approval, approved, reason } } as never)
      : part,
  ),
});
