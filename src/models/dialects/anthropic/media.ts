import type { JsonObject } from "../../../base/json/is-object.ts";
import type { ContentPart } from "../../../types/content.ts";
import type { AcceptedMedia } from "../../../types/model.ts";

const mediaTypes = ["image/png", "image/jpeg", "image/gif", "image/webp", "application/pdf"];

/** Accepted in user messages and tool results. */
export const anthropicMedia: AcceptedMedia = Object.freeze({
  data: mediaTypes,
  url: mediaTypes,
  // 32 MB for the whole request, minus space for text.
  maxLength: 31_457_280,
});

export const toAnthropicBlock = (part: ContentPart): JsonObject => {
  if (part.kind === "text") return { type: "text", text: part.text };
  const source =
    part.data === undefined
      ? { type: "url", url: part.url }
      : { type: "base64", media_type: part.mediaType.toLowerCase(), data: part.data };
  if (part.kind === "image") return { type: "image", source };
  return { type: "document", source, ...(part.name === undefined ? {} : { title: part.name }) };
};
