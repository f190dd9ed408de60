// The same handler in other servers.
import { createServer } from "node:http";
import { getRequestListener } from "@hono/node-server";
import { DefaultChatTransport } from "ai";
import type { AgentHandler } from "haft/chat";

declare const chat: AgentHandler;

/** The used part of Express. */
declare const express: { all(path: string, listener: ReturnType<typeof getRequestListener>): void };

//#region node
createServer(getRequestListener(chat)).listen(3000, "127.0.0.1");
//#endregion

//#region express
express.all("/api/chat{/*rest}", getRequestListener(chat)); // before express.json(): the handler reads the body
//#endregion

//#region next
// app/api/chat/[[...rest]]/route.ts
export const GET = chat;
export const POST = chat;
export const DELETE = chat;
//#endregion

//#region transport
export const transport = new DefaultChatTransport({
  prepareSendMessagesRequest: ({ id, messages, trigger, messageId }) => ({
    body: { id, trigger, messageId, messages: messages.slice(-1) },
  }),
});
//#endregion
