// A chat of `useChat` over a session, as in Next.js: app/api/chat/route.ts
//#region route
import {
  consumeStream,
  createUIMessageStream,
  createUIMessageStreamResponse,
  isStepCount,
  streamText,
  toUIMessageStream,
  validateUIMessages,
} from "ai";
import { ToolError } from "haft";
import { settleUIMessages, toAiSdkTools, toolApproval } from "haft/integrations/ai-sdk";
//#endregion
import { haft, loadChat, model, saveChat, userOf } from "./desk.ts";

//#region route

/** The chat belongs to the user of the request: another user with the same id has another chat. */
const openChat = (request: Request, id: string) => {
  const user = userOf(request);
  const session = haft.session({ id, principal: { agent: "clerk", user, allow: ["*"] } });
  return { user, session, chat: `${user}/${id}` };
};

/** Errors of tools are written for the model. Other errors may contain secrets. */
const errorText = (error: unknown): string =>
  ToolError.is(error) ? error.message : "The answer failed. Try again.";

/** Loads the chat, with approvals that were given elsewhere. */
export const GET = async (request: Request): Promise<Response> => {
  const { session, chat } = openChat(request, new URL(request.url).searchParams.get("id") ?? "");
  const { messages } = await settleUIMessages(session, loadChat(chat));
  return Response.json(messages);
};

/** Takes a message of the user, or the answer to an approval request. */
export const POST = async (request: Request): Promise<Response> => {
  const { id, message } = (await request.json()) as { id: unknown; message: unknown };
  const [sent] = await validateUIMessages({ messages: [message] });
  const { user, session, chat } = openChat(request, String(id));

  const stored = loadChat(chat);
  const isNew = sent!.role === "user" && !stored.some((each) => each.id === sent!.id);
  const received = isNew ? [...stored, sent!] : stored;
  saveChat(chat, received); // before calls run: a crash must not lose the message

  const tools = toAiSdkTools(session, { answeredBy: user });
  const settled = await settleUIMessages(session, received, { sent, answeredBy: user, tools });
  const { messages, modelMessages, chunks } = settled;
  saveChat(chat, messages);
  if (!settled.isReady) {
    const stream = createUIMessageStream({
      execute: ({ writer }) => {
        for (const chunk of chunks) writer.write(chunk);
      },
    });
    return createUIMessageStreamResponse({ stream });
  }

  const stream = createUIMessageStream({
    originalMessages: messages,
    execute: ({ writer }) => {
      for (const chunk of chunks) writer.write(chunk);
      const result = streamText({
        model,
        tools,
        toolApproval: toolApproval(session), // puts the reason into approval requests
        messages: modelMessages,
        stopWhen: isStepCount(9),
      });
      writer.merge(toUIMessageStream({ stream: result.stream, tools, onError: errorText }));
    },
    onStepEnd: ({ messages }) => saveChat(chat, messages),
    onEnd: ({ messages }) => saveChat(chat, messages),
  });
  return createUIMessageStreamResponse({ stream, consumeSseStream: consumeStream });
};
//#endregion
