import { isReadOnly } from "../types/spec.ts";
import type { AnyTool, Registration } from "../types/tool.ts";

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
