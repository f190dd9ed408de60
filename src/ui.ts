/** A chat page in one handler: an agent behind `useChat` of AI SDK, with the ledger as its memory. */
export type { ChatRunOptions } from "./runtime/chat/answer-chat.ts";
export { type AgentHandler, agentHandler } from "./ui/agent-handler.ts";
export type { AgentHandlerOptions } from "./ui/handler-options.ts";
export type { UiMessage, UiPart } from "./ui/stream/to-ui-message.ts";
