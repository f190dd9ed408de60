/**
 * Request handler for a chat page: an agent behind `useChat` of the AI SDK, with the ledger as its memory.
 */
export type { ChatRunOptions } from "../runtime/chat/answer-chat.ts";
export { type AgentHandler, agentHandler } from "../server/chat/agent-handler.ts";
export type { AgentHandlerOptions } from "../server/chat/handler-options.ts";
export type { UiMessage, UiPart } from "../server/chat/stream/to-ui-message.ts";
