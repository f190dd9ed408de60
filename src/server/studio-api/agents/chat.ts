import { handoffsOf } from "../../../types/agent.ts";
import type { Model } from "../../../types/model.ts";
import { isSameCaller, type Principal } from "../../../types/principal.ts";
import { HttpError } from "../../request/http-error.ts";
import type { ApiContext } from "../api-context.ts";
import { notFoundError } from "../api-error.ts";
import { apiEventStream } from "../live/live-stream.ts";
import { callerForRun, callerNamed } from "../permissions/principals.ts";
import { definedFields } from "../read-query.ts";
import type { AgentListItem, ChatBody, ChatEvent, StoppedChat } from "../schemas/agents.ts";
import type { Page } from "../schemas/shared.ts";
import type { StudioAgent, StudioAgentOptions } from "../studio-options.ts";
import { runLedger, type StudioServices } from "../studio-services.ts";
import type { ChatLog } from "./chat-logs.ts";
import { chatOfRun } from "./chat-of-run.ts";
import { streamRunToChat } from "./stream-run-to-chat.ts";

/** The run continues when the reader disconnects. */
export const sendChatMessage = async (context: ApiContext<ChatBody>): Promise<Response> => {
  const { studio } = context;
  const { message, chatId, runId, model, as } = context.body;
  const found = findStudioAgent(context);
  const principal = callerNamed(context, as);
  const history = runId === undefined ? [] : await chatContextOf(studio, runId, principal);
  const agent = model === undefined ? found : { ...found, run: { ...found.run, model } };
  const chatLog = chatId === undefined ? studio.chats.open(agent) : await findOwnChat(context, chatId);
  if (chatLog.isLive()) throw chatBusyError();
  const response = chatEventStream(context, chatLog, []);
  chatLog.append({ kind: "start", chatId: chatLog.id, message: studio.redactor.text(message) });
  streamRunToChat(studio, chatLog, (signal) =>
    studio.haft.as(principal).stream(agent.agent, message, {
      ...agent.run,
      context: history,
      signal: AbortSignal.any([signal, studio.closed]),
    }),
  );
  return response;
};

export const readChat = async (context: ApiContext): Promise<Response> => {
  const chatLog = await findChat(context, context.params.id!);
  return chatEventStream(context, chatLog, chatLog.events());
};

export const stopChat = async (context: ApiContext): Promise<StoppedChat> => ({
  stopped: (await findOwnChat(context, context.params.id!)).stop(),
});

const findStudioAgent = ({ studio, params }: ApiContext): StudioAgentOptions => {
  const found = studio.options.agents.find(({ name }) => name === params.name);
  if (found === undefined) throw notFoundError(`agent "${params.name}" in this Studio`);
  return found;
};

/** By chat ID or run ID, in memory or else in the ledger. */
const findChat = async (context: ApiContext, id: string): Promise<ChatLog> => {
  const { studio } = context;
  const agent = findStudioAgent(context);
  const chatLog = studio.chats.find(id);
  const run = await runLedger(studio.ledger.runs.find(chatLog?.lastRun()?.runId ?? id));
  const found = run === undefined ? chatLog : await chatOfRun(studio, agent, run);
  if (found !== undefined && found.agent.name === agent.name) return found;
  throw new HttpError(
    404,
    "not_found",
    `This agent has no chat "${id}", or the chat is no longer stored. Its runs are listed on the Runs page.`,
  );
};

/** Run IDs are not secret, so the person must be allowed to act as the caller of the run. */
const findOwnChat = async (context: ApiContext, id: string): Promise<ChatLog> => {
  const chatLog = await findChat(context, id);
  const run = await runLedger(context.studio.ledger.runs.find(chatLog.lastRun()?.runId ?? id));
  if (run !== undefined) callerForRun(context, run.principal);
  return chatLog;
};

const chatBusyError = (): HttpError =>
  new HttpError(409, "busy", "The previous answer of this chat is not finished. Wait for it, or stop it.");

const chatEventStream = (context: ApiContext, chatLog: ChatLog, before: readonly ChatEvent[]): Response =>
  apiEventStream(context, (send, end) => {
    const sendChatEvent = (event: ChatEvent): void => send({ name: event.kind, data: event });
    for (const event of before) sendChatEvent(event);
    const leave = chatLog.subscribe((event) => (event === undefined ? end() : sendChatEvent(event)));
    if (before.length > 0 && !chatLog.isLive()) end();
    return leave;
  });

/** The ledger takes precedence, because another process may have resumed the run. */
const chatContextOf = async (studio: StudioServices, runId: string, principal: Principal) => {
  const run = await runLedger(studio.ledger.runs.find(runId));
  if (run === undefined || run.principal === undefined || !isSameCaller(run.principal, principal)) {
    throw notFoundError(`run "${runId}" of this caller`);
  }
  if (run.status === "pending" || run.status === "running") {
    throw new HttpError(
      409,
      "approval_pending",
      "The run needs approval or is still running. Answer its approval requests first.",
    );
  }
  const messages = run.messages.length > 0 ? run.messages : studio.chats.contextOf(runId);
  if (messages === undefined)
    throw new HttpError(
      410,
      "messages_not_stored",
      "The messages of this run are not stored. Start a new chat, without `runId`.",
    );
  return messages;
};

export const listAgents = async ({ studio }: ApiContext): Promise<Page<AgentListItem>> => ({
  items: studio.options.agents
    .map(toAgentListItem)
    .map((line) => studio.redactor.value(line) as AgentListItem),
  hasMore: false,
});

const toAgentListItem = ({ name, agent, run }: Required<StudioAgent>): AgentListItem => {
  const { description, instructions, model, tools, layers } = agent;
  return {
    name,
    ...definedFields({ description, model: modelNameOf(run.model ?? model) }),
    instructions,
    tools: tools.map((tool) =>
      typeof tool === "string" ? tool : "spec" in tool ? tool.spec.name : tool.name,
    ),
    handoffs: handoffsOf(agent).map((each) => each.name),
    layers: layers.map(({ label = "layer" }) => label).toReversed(),
  };
};

const modelNameOf = (model: Model | string | undefined): string | undefined =>
  typeof model === "string" ? model : model?.id;
