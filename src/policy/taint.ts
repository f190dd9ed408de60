import type { AssistantMessage, Message } from "../types/message.ts";
import { type AnyTool, isReadOnly, type Registration } from "../types/tool.ts";

const remoteKinds: ReadonlySet<string> = new Set(["http", "mcp"]);

export const isRemoteTool = ({ spec, implementation: { _tag, kinds } }: AnyTool): boolean =>
  remoteKinds.has(spec.source) ||
  remoteKinds.has(_tag) ||
  kinds?.some((kind) => remoteKinds.has(kind)) === true;

const isOpenWorld = (tool: AnyTool): boolean =>
  tool.spec.annotations.openWorld === true || isRemoteTool(tool);

/** The full name of a tool whose results are untrusted content. */
export const taintSourceOf = ({ key, tool }: Registration): string | undefined => {
  const { tags, annotations } = tool.spec;
  if (annotations.untrusted === true || tags.includes("untrusted")) return key;
  if (annotations.untrusted === false || tags.includes("trusted")) return undefined;
  return isOpenWorld(tool) ? key : undefined;
};

/** Every call can carry data out or do lasting harm. */
export const isSink = (tool: AnyTool): boolean => {
  const { spec } = tool;
  if (spec.annotations.sink === true || spec.tags.includes("sink")) return true;
  if (spec.annotations.sink === false) return false;
  return !isReadOnly(spec) && (spec.annotations.destructive === true || isOpenWorld(tool));
};

/** Returns data that untrusted content must not make the model read. */
export const isPrivateRead = ({ spec }: AnyTool): boolean =>
  spec.annotations.private === true && isReadOnly(spec);

/** Reading an address sends it to its host. */
export const isAddressReader = (tool: AnyTool): boolean =>
  isReadOnly(tool.spec) && tool.spec.annotations.sink !== false && isOpenWorld(tool);

export const collectConversationTaints = (messages: readonly Message[]): readonly string[] =>
  messages.flatMap((message) => {
    if (message.role === "assistant") return taintsOfMessage(message);
    return message.role === "tool" ? (message.taints ?? []) : [];
  });

/** Sources that the model reported, else every call that its provider executed. */
export const taintsOfMessage = ({
  calls = [],
  taints,
}: Pick<AssistantMessage, "calls" | "taints">): readonly string[] =>
  taints ?? calls.flatMap(({ tool, providerExecuted }) => (providerExecuted === true ? [tool] : []));
