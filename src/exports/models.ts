export {
  type CallCollector,
  callCollector,
  collectCalls,
  readCalls,
} from "./dialects/read-calls.ts";
export { type Wire, type WireName, wires } from "./dialects/wires.ts";
export { type ChooseModelOptions, chooseModel } from "./models/choose-model.ts";
export { type OfflineOptions, offline } from "./models/offline.ts";
export type { CallableTools, ToolCaller, ToolCallOptions, ToolRuntime } from "./models/tool-call.ts";
export type { RawCall } from "./words/call.ts";
export type { ContentPart, MediaKind, MediaPart, TextPart } from "./words/content.ts";
export type { HydrationResult } from "./words/hydration.ts";
export type {
  AssistantMessage,
  Echo,
  Message,
  SystemMessage,
  ToolMessage,
  UserMessage,
} from "./words/message.ts";
export type {
  Finish,
  LostPart,
  Model,
  ModelEvent,
  ModelOptions,
  ModelReply,
  ModelRequest,
  ModelSettings,
  RequestTool,
  TakenMedia,
  Usage,
} from "./words/model.ts";
