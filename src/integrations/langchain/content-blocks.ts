import type { ContentBlock } from "@langchain/core/messages";
import type { ContentPart } from "../../types/content.ts";

export const toContentBlock = (part: ContentPart): ContentBlock.Standard => {
  if (part.kind === "text") return { type: "text", text: part.text };
  const { kind: type, mediaType: mimeType, name, data, url } = part;
  const metadata = name === undefined ? {} : { metadata: { filename: name } };
  return data === undefined ? { type, mimeType, url, ...metadata } : { type, mimeType, data, ...metadata };
};
