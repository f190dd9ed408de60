import { canonicalJson, hashInput } from "../../../base/json/canonical-json.ts";
import { isObject, isPlainObject } from "../../../base/json/json-value.ts";
import { MCPConnectionError } from "../../../types/errors.ts";
import type { ContentBlock, RemoteResult } from "../../../types/mcp.ts";
import type { ContentPart, MediaPart } from "../../../types/message.ts";
import type { Reply } from "../../../types/outcome.ts";
import { extractMedia, type McpMediaLimits, restoreMedia, toMcpBlock } from "./media-blocks.ts";

/** `note` records in the ledger what the value leaves out. */
export interface RemoteValue {
  readonly value: unknown;
  readonly parts?: readonly MediaPart[];
  readonly note?: string;
}

/**
 * Uses the simplest value that loses nothing: the text of one plain block, `structuredContent` if the text
 * only repeats it, otherwise all blocks.
 */
export const toToolValue = (
  result: RemoteResult,
  of: { readonly hasOutput: boolean; readonly media?: McpMediaLimits | undefined },
): RemoteValue => {
  const { structuredContent: structured } = result;
  const content = result.content === undefined ? noBlocks : result.content;
  if (structured === undefined && !of.hasOutput && Array.isArray(content) && content.length === 1) {
    const text = plainText(content[0]);
    if (text !== undefined) return { value: text };
  }
  checkBlocks(content);
  if (of.hasOutput && result.isError !== true) return structuredValue(content, structured, of.media);
  if (structured !== undefined && isRepeatedByText(content, structured)) return { value: structured };
  const meta = result._meta;
  const { blocks, parts } = extractMedia(content, of.media);
  return {
    ...(parts.length === 0 ? {} : { parts }),
    value: {
      content: parts.length === 0 ? content : blocks,
      ...(structured === undefined ? {} : { structuredContent: structured }),
      ...(hasMembers(meta) ? { _meta: meta } : {}),
    },
  };
};

const noBlocks: readonly ContentBlock[] = Object.freeze([]);

/** The output schema describes `structuredContent` alone. */
const structuredValue = (
  content: readonly ContentBlock[],
  structured: unknown,
  media: McpMediaLimits | undefined,
): RemoteValue => {
  if (structured === undefined) {
    throw invalidResultError("has no structuredContent, although the tool's output schema requires it");
  }
  if (isRepeatedByText(content, structured)) return { value: structured };
  const blocks = `${content.length} block${content.length === 1 ? "" : "s"}`;
  const { parts } = extractMedia(content, media);
  const note = `content sha256:${hashInput(content)} (${blocks})`;
  return { value: structured, ...(parts.length === 0 ? {} : { parts }), note };
};

const plainText = (block: ContentBlock | undefined): string | undefined => {
  if (typeof block !== "object" || block === null || block.type !== "text") return undefined;
  for (const key in block) if (key !== "type" && key !== "text") return undefined;
  return typeof block.text === "string" ? block.text : undefined;
};

/** Servers repeat `structuredContent` as JSON text for older clients. */
const isRepeatedByText = (content: readonly ContentBlock[], structured: unknown): boolean => {
  if (content.length === 0) return true;
  const text = content.length === 1 ? plainText(content[0]) : undefined;
  if (text === undefined) return false;
  try {
    return (
      text === JSON.stringify(structured) || canonicalJson(JSON.parse(text)) === canonicalJson(structured)
    );
  } catch {
    return false;
  }
};

const hasMembers = (meta: unknown): boolean =>
  typeof meta === "object" && meta !== null && Object.keys(meta).length > 0;

const checkBlocks = (content: unknown): void => {
  if (!Array.isArray(content)) throw invalidResultError("has a /content that is not an array of blocks");
  for (let i = 0; i < content.length; i++) {
    const block: unknown = content[i];
    if (typeof block !== "object" || block === null || Array.isArray(block)) {
      throw invalidResultError(`has no object at /content/${i}`);
    }
    if (typeof (block as { readonly type?: unknown }).type !== "string") {
      throw invalidResultError(`has a block without a \`type\` at /content/${i}`);
    }
  }
};

const invalidResultError = (what: string): MCPConnectionError =>
  new MCPConnectionError("mcp_protocol", `The server's result ${what}.`, { ran: true });

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
