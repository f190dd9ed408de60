export { type ChooseModelOptions, chooseModel } from "../models/choose-model.ts";
export {
  type CallCollector,
  callCollector,
  collectCalls,
  readCalls,
} from "../models/dialects/read-calls.ts";
export { type Wire, type WireName, wires } from "../models/dialects/wires.ts";
export { type OfflineOptions, offline } from "../models/offline.ts";
export type { CallableTools, ToolCaller, ToolCallOptions, ToolRuntime } from "../models/tool-caller.ts";
export type { RawCall } from "../types/call.ts";
export type { HydrationResult } from "../types/hydration.ts";
export type {
  AssistantMessage,
  ContentPart,
  MediaKind,
  MediaPart,
  Message,
  ProviderEcho,
  SystemMessage,
  TextPart,
  ToolMessage,
  UserMessage,
} from "../types/message.ts";
export type {
  AcceptedMedia,
  FinishReason,
  Model,
  ModelEvent,
  ModelOptions,
  ModelReply,
  ModelRequest,
  ModelSettings,
  ModelTool,
  OmittedPart,
  Usage,
} from "../types/model.ts";
