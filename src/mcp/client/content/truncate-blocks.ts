import { MCPConnectionError } from "../../../types/errors.ts";
import type { ContentBlock } from "../../../types/mcp.ts";
import type { Principal } from "../../../types/principal.ts";

export interface TruncatedContent {
  readonly handle: string;
  readonly bytes: number;
  readonly sha256: string;
  readonly preview?: string;
}

export type TruncatedKind = "text" | "binary";

/** Offsets and lengths are bytes; text is cut between characters. */
export interface TruncatedPart {
  readonly handle: string;
  readonly kind: TruncatedKind;
  readonly mimeType?: string;
  readonly offset: number;
  readonly total: number;
  /** Missing at the end. */
  readonly next?: number;
  readonly text?: string;
  /** Base64. */
  readonly data?: string;
}

export interface TruncationCall {
  readonly principal: Principal;
  readonly tool: string;
  readonly callId: string;
}

export interface TruncationRange {
  readonly principal: Principal;
  readonly offset?: number;
  readonly length?: number;
}

export type StoreContent = (
  content: string | Uint8Array,
  about: { readonly kind: TruncatedKind; readonly mimeType?: string },
) => Promise<TruncatedContent>;

/** Binary data is useless to a model as text. */
export const maxInlineBinaryBytes = 16_384;

/** Below this size, a placeholder saves nothing. */
const minTruncatedBytes = 10_240;

export const isBlockResult = (
  value: unknown,
): value is { readonly content: readonly ContentBlock[]; readonly structuredContent?: unknown } => {
  if (typeof value !== "object" || value === null) return false;
  const { content } = value as { readonly content?: unknown };
  if (!Array.isArray(content)) return false;
  for (const key in value) {
    if (key !== "content" && key !== "structuredContent" && key !== "_meta") return false;
  }
  return content.every(
    (block: unknown) =>
      typeof block === "object" && block !== null && typeof (block as ContentBlock).type === "string",
  );
};

/** Truncates blocks above `overBytes`, and then, in order, those that exceed the remaining total. */
export const truncateBlocks = async (
  blocks: readonly ContentBlock[],
  overBytes: number,
  store: StoreContent,
): Promise<readonly ContentBlock[]> => {
  let remaining = overBytes;
  const small: ContentBlock[] = [];
  for (const block of blocks) {
    const size = sizeOf(block, overBytes);
    const most = isBinaryBlock(block) ? Math.min(maxInlineBinaryBytes, overBytes) : overBytes;
    const stays = size <= most && (size <= remaining || size <= minTruncatedBytes);
    const put = stays ? block : await truncateBlock(block, store);
    remaining -= stays ? size : sizeOf(put, overBytes);
    small.push(put);
  }
  return small;
};

/**
 * Approximates the JSON size in bytes up to `limit`. Untrusted values may be nested too deeply for recursion.
 */
export const sizeOf = (value: unknown, limit: number): number => {
  // UTF-8 needs at most three bytes per UTF-16 code unit, so short strings are not measured.
  if (typeof value === "string") return value.length * 3 <= limit ? value.length : textSize(value, limit);
  const stack: unknown[] = [value];
  let size = 0;
  while (stack.length > 0 && size <= limit) {
    const next = stack.pop();
    if (typeof next === "string") size += textSize(next, limit) + 3;
    else if (Array.isArray(next)) {
      size += 2;
      for (let i = 0; i < next.length && i <= limit; i++) stack.push(next[i]);
    } else if (typeof next === "object" && next !== null) {
      size += 2;
      for (const key in next) {
        size += key.length + 4;
        stack.push((next as Record<string, unknown>)[key]);
      }
    } else size += 5;
  }
  return size;
};

const textSize = (text: string, limit: number): number =>
  text.length > limit ? text.length : Buffer.byteLength(text);

export const hasLargeBinary = (blocks: readonly ContentBlock[]): boolean =>
  blocks.some((block) => isBinaryBlock(block) && sizeOf(block, maxInlineBinaryBytes) > maxInlineBinaryBytes);

const objectFieldsOf = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};

const isBinaryBlock = (block: ContentBlock): boolean =>
  typeof block.data === "string" || typeof objectFieldsOf(block.resource).blob === "string";

interface LargePart {
  readonly content: string | Uint8Array;
  readonly mimeType?: string;
  readonly rest: Readonly<Record<string, unknown>>;
}

const largePart = (block: ContentBlock): LargePart | undefined => {
  const { text, data, ...rest } = block;
  const about = mimeTypeOf(block);
  if (block.type === "text" && typeof text === "string") return { content: text, rest, ...about };
  if (typeof data === "string") return { content: decodeBase64(data), rest, ...about };
  const { text: words, blob, ...resource } = objectFieldsOf(block.resource);
  const within = { rest: { ...block, resource }, ...mimeTypeOf(resource) };
  if (typeof words === "string") return { content: words, ...within };
  return typeof blob === "string" ? { content: decodeBase64(blob), ...within } : undefined;
};

const mimeTypeOf = (fields: Readonly<Record<string, unknown>>): { readonly mimeType?: string } =>
  typeof fields.mimeType === "string" ? { mimeType: fields.mimeType.slice(0, 200) } : {};

/** The remaining fields are untrusted too, so they must be small as well. */
const truncateBlock = async (block: ContentBlock, store: StoreContent): Promise<ContentBlock> => {
  const { type } = block;
  const part = largePart(block);
  if (part === undefined || sizeOf(part.rest, minTruncatedBytes) > minTruncatedBytes) {
    const mimeType = "application/json";
    return { type: type.slice(0, 200), spilled: await store(toJsonText(block), { kind: "text", mimeType }) };
  }
  const { content, rest, mimeType } = part;
  const kind = typeof content === "string" ? "text" : "binary";
  return {
    ...rest,
    type,
    spilled: await store(content, { kind, ...(mimeType === undefined ? {} : { mimeType }) }),
  };
};

/** Decoding invalid base64 would lose data. */
const decodeBase64 = (data: string): string | Uint8Array =>
  data.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(data) ? Buffer.from(data, "base64") : data;

/** Untrusted values can be nested too deeply for JSON.stringify. */
export const toJsonText = (value: unknown): string => {
  try {
    return JSON.stringify(value);
  } catch (cause) {
    throw new MCPConnectionError("mcp_garbage", "The server's result is nested too deeply to be passed on.", {
      ran: true,
      cause,
    });
  }
};
