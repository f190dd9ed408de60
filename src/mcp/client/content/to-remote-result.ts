import { isObject } from "../../../base/json/is-object.ts";
import { isPlainObject } from "../../../base/json/is-plain-object.ts";
import type { ContentPart } from "../../../types/content.ts";
import type { RemoteResult } from "../../../types/mcp.ts";
import type { Reply } from "../../../types/reply.ts";
import { restoreMedia, toMcpBlock } from "./media-blocks.ts";

/** `structuredContent` is set only for objects, the one form that all protocol eras allow. */
export const toRemoteResult = (reply: Reply): RemoteResult => {
  const textBlock = { type: "text", text: reply.text };
  const content = [textBlock, ...(reply.parts ?? []).map(toMcpBlock)];
  if (!reply.ok) return { content, isError: true };
  const { value } = reply;
  if (typeof value !== "object" || value === null || Array.isArray(value) || !isPlainObject(value)) {
    return { content };
  }
  return { content, structuredContent: value };
};

export const restoreRemoteResult = (
  value: unknown,
  parts: readonly ContentPart[] = [],
): RemoteResult | undefined => {
  if (!isObject(value)) return undefined;
  const { content, structuredContent, _meta, ...more } = value;
  const isWhole = Object.keys(more).length === 0 && Array.isArray(content) && content.every(isContentBlock);
  return isWhole ? ({ ...value, content: restoreMedia(content, parts) } as RemoteResult) : undefined;
};

const isContentBlock = (block: unknown): boolean => isObject(block) && typeof block.type === "string";
