import { MCPConnectionError } from "../../../types/errors.ts";
import type { ContentBlock } from "../../../types/mcp.ts";
import { sizeOf } from "./size-of.ts";
import type { TruncatedContent, TruncatedKind } from "./truncated-content.ts";

/** Keeps something large, and says where it is. */
export type StoreContent = (
  content: string | Uint8Array,
  about: { readonly kind: TruncatedKind; readonly mimeType?: string },
) => Promise<TruncatedContent>;

/** Binary data is of no use to a model as text, so it leaves earlier. */
export const maxInlineBinaryBytes = 16_384;

/** Smaller than this, what stands in its place would save nothing. */
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

/** Each block on its own over the bound leaves; then, in order, those with which all of them would be over it. */
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

/** Over the bound as blocks may be, though no text in them is: worth a look inside. */
export const hasLargeBinary = (blocks: readonly ContentBlock[]): boolean =>
  blocks.some((block) => isBinaryBlock(block) && sizeOf(block, maxInlineBinaryBytes) > maxInlineBinaryBytes);

const objectFieldsOf = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};

const isBinaryBlock = (block: ContentBlock): boolean =>
  typeof block.data === "string" || typeof objectFieldsOf(block.resource).blob === "string";

interface LargePart {
  readonly content: string | Uint8Array;
  readonly mimeType?: string;
  /** The block without it. */
  readonly rest: Readonly<Record<string, unknown>>;
}

/** What makes a block large; nothing for a kind that nobody knows yet. */
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

/** What is left of a block must be small as well: the rest of its fields are as foreign as its text. */
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

/** What is not base64 to the letter stays the text it is, because decoding it would lose some. */
const decodeBase64 = (data: string): string | Uint8Array =>
  data.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(data) ? Buffer.from(data, "base64") : data;

/** Foreign values can be nested deeper than JSON.stringify can follow. */
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
