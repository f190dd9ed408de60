import { isObject, type JsonObject } from "../../../base/json/json-value.ts";
import { readPart } from "../../../base/json/read-part.ts";
import type { ContentBlock } from "../../../types/mcp.ts";
import { base64ByteLength, type ContentPart, isMedia, type MediaPart } from "../../../types/message.ts";

export interface McpMediaLimits {
  readonly maxMediaParts: number;
  readonly maxMediaBytes: number;
}

const defaultMediaLimits: McpMediaLimits = Object.freeze({ maxMediaParts: 20, maxMediaBytes: 10_485_760 });

export interface ExtractedBlocks<Block> {
  readonly blocks: readonly Block[];
  readonly parts: readonly MediaPart[];
}

/**
 * Moves media into parts, so that models receive images instead of base64. The block keeps the part's index.
 */
export const extractMedia = <Block extends JsonObject>(
  blocks: readonly Block[],
  { maxMediaParts, maxMediaBytes }: McpMediaLimits = defaultMediaLimits,
): ExtractedBlocks<Block> => {
  const parts: MediaPart[] = [];
  let bytes = 0;
  const remaining = blocks.map((block) => {
    const found = mediaOfBlock(block);
    const size = found?.part.data === undefined ? 0 : base64ByteLength(found.part.data);
    if (found === undefined || parts.length >= maxMediaParts || bytes + size > maxMediaBytes) {
      return withoutForeignPartIndex(block) as Block;
    }
    bytes += size;
    parts.push(found.part);
    return found.withPartIndex(parts.length - 1) as Block;
  });
  return { blocks: remaining, parts };
};

/** Removes a `part` field of the server, which would be read as a part index. */
const withoutForeignPartIndex = (block: JsonObject): JsonObject => {
  if (block.type === "resource" && isObject(block.resource)) {
    const resource = withoutPartIndex(block.resource, "blob");
    return resource === block.resource ? block : { ...block, resource };
  }
  if (block.type === "image" || block.type === "audio") return withoutPartIndex(block, "data");
  return block.type === undefined ? withoutPartIndex(block, "blob") : block;
};

const withoutPartIndex = (fields: JsonObject, field: "data" | "blob"): JsonObject => {
  if (field in fields || !("part" in fields)) return fields;
  const { part: _, ...rest } = fields;
  return rest;
};

interface BlockMedia {
  readonly part: MediaPart;
  readonly withPartIndex: (part: number) => JsonObject;
}

const mediaOfBlock = (block: JsonObject): BlockMedia | undefined => {
  if (block.type === "image" || block.type === "audio") return mediaOfField(block, "data", block.type);
  if (block.type === "resource" && isObject(block.resource)) {
    const { resource } = block;
    const found = mediaOfField(resource, "blob", mediaKindOf(resource.mimeType), fileNameOf(resource.uri));
    return (
      found && {
        part: found.part,
        withPartIndex: (part) => ({ ...block, resource: found.withPartIndex(part) }),
      }
    );
  }
  // Entries of `resources/read` have no type.
  if (block.type !== undefined || typeof block.uri !== "string") return undefined;
  return mediaOfField(block, "blob", mediaKindOf(block.mimeType), fileNameOf(block.uri));
};

const mediaOfField = (
  fields: JsonObject,
  field: "data" | "blob",
  kind: MediaPart["kind"],
  name?: string,
): BlockMedia | undefined => {
  const { [field]: data, ...rest } = fields;
  // The server's own field; the block stays as it is.
  if ("part" in rest) return undefined;
  const mediaType = fields.mimeType ?? "application/octet-stream";
  const reading = readPart({ kind, mediaType, data, ...(name === undefined ? {} : { name }) });
  if (!reading.ok || !isMedia(reading.part)) return undefined;
  return { part: reading.part, withPartIndex: (part) => ({ ...rest, part }) };
};

const mediaKindOf = (mimeType: unknown): MediaPart["kind"] => {
  const [top] = String(mimeType).toLowerCase().split("/", 1);
  return top === "image" || top === "audio" ? top : "file";
};

const fileNameOf = (uri: unknown): string | undefined => {
  const [, name = ""] = /([^/?#]{1,255})(?:[?#].*)?$/.exec(String(uri)) ?? [];
  return name === "" ? undefined : decodeFileName(name);
};

const decodeFileName = (name: string): string => {
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
};

export const restoreMedia = <Block extends JsonObject>(
  blocks: readonly Block[],
  parts: readonly ContentPart[],
): readonly Block[] => blocks.map((block) => restoreBlock(block, parts) as Block);

const restoreBlock = (block: JsonObject, parts: readonly ContentPart[]): JsonObject => {
  if (block.type === "resource" && isObject(block.resource)) {
    const resource = restoreField(block.resource, "blob", parts);
    return resource === undefined ? missingPartBlock(block.resource) : { ...block, resource };
  }
  if (block.type === "image" || block.type === "audio")
    return restoreField(block, "data", parts) ?? missingPartBlock(block);
  if (block.type !== undefined || typeof block.uri !== "string") return block;
  return restoreField(block, "blob", parts) ?? { uri: block.uri, text: missingPartText(block) };
};

const restoreField = (
  fields: JsonObject,
  field: "data" | "blob",
  parts: readonly ContentPart[],
): JsonObject | undefined => {
  const { part: place, ...rest } = fields;
  if (field in fields || !Number.isSafeInteger(place)) return fields;
  const part = parts[Number(place)];
  return part === undefined || !isMedia(part) || part.data === undefined
    ? undefined
    : { ...rest, [field]: part.data };
};

const missingPartBlock = (fields: JsonObject): ContentBlock => ({
  type: "text",
  text: missingPartText(fields),
});

const missingPartText = ({ mimeType }: JsonObject): string => `[${String(mimeType ?? "data")} omitted.]`;

export const restoreParts = (value: unknown, parts: readonly ContentPart[]): unknown => {
  if (!isObject(value)) return value;
  const { content, contents } = value;
  if (Array.isArray(content) && content.every(isObject))
    return { ...value, content: restoreMedia(content, parts) };
  if (!Array.isArray(contents) || !contents.every(isObject)) return value;
  return { ...value, contents: restoreMedia(contents, parts) };
};

export const toMcpBlock = (part: ContentPart, place: number): ContentBlock => {
  if (part.kind === "text") return { type: "text", text: part.text };
  const { kind, mediaType: mimeType, name, data, url } = part;
  if (data === undefined) return { type: "resource_link", uri: url, name: name ?? kind, mimeType };
  if (kind !== "file") return { type: kind, data, mimeType };
  const uri = `haft://part/${place}/${encodeURIComponent(name ?? "file")}`;
  return { type: "resource", resource: { uri, mimeType, blob: data } };
};
