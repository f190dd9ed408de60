import { isObject } from "../../../json/is-object.ts";
import { isPlainObject } from "../../../json/plain.ts";
import type { ContentPart } from "../../../words/content.ts";
import type { RemoteResult } from "../../../words/mcp.ts";
import type { Reply } from "../../../words/reply.ts";
import { putMedia, toBlock } from "./media-blocks.ts";

/**
 * The reply of a tool that is not MCP's, as the protocol has it: its words for the model, its pictures, sounds and files,
 * and the value beside them where it is an object, which is all that structured content may be in both eras.
 */
export const fromValue = (reply: Reply): RemoteResult => {
  const said = { type: "text", text: typeof reply.value === "string" ? saidIn(reply) : reply.text };
  const content = [said, ...(reply.parts ?? []).map(toBlock)];
  if (!reply.ok) return { content, isError: true };
  const { value } = reply;
  if (typeof value !== "object" || value === null || Array.isArray(value) || !isPlainObject(value)) {
    return { content };
  }
  return { content, structuredContent: value };
};

/**
 * What a server answered, rebuilt from the value that became of it: blocks that were kept as they came are blocks again.
 * Undefined for any other value.
 */
export const remoteResultOf = (
  value: unknown,
  parts: readonly ContentPart[] = [],
): RemoteResult | undefined => {
  if (!isObject(value)) return undefined;
  const { content, structuredContent, _meta, ...more } = value;
  const isWhole = Object.keys(more).length === 0 && Array.isArray(content) && content.every(isBlock);
  return isWhole ? ({ ...value, content: putMedia(content, parts) } as RemoteResult) : undefined;
};

const isBlock = (block: unknown): boolean => isObject(block) && typeof block.type === "string";

/** A text is told as it is; what the model is told of it is masked, and quoted as JSON. */
const saidIn = ({ text }: Reply): string => {
  try {
    const said: unknown = JSON.parse(text);
    return typeof said === "string" ? said : text;
  } catch {
    return text;
  }
};
