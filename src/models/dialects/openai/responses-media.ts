import type { JsonObject } from "../../../base/json/is-object.ts";
import type { ContentPart, MediaPart } from "../../../types/content.ts";
import type { AcceptedMedia } from "../../../types/model.ts";
import { dataUrl, fileName } from "../media/data-url.ts";
import { readMedia } from "../media/read-media.ts";
import { readField, toTextOrEmpty } from "../model-reply.ts";

const imageTypes = ["image/png", "image/jpeg", "image/gif", "image/webp"];

/** Accepted in user messages and tool outputs. */
export const responsesMedia: AcceptedMedia = Object.freeze({
  data: [...imageTypes, "application/pdf"],
  url: [...imageTypes, "application/pdf"],
  // 50 MB per request, in base64 characters.
  maxLength: 69_905_067,
});

export const toResponsesPart = (part: ContentPart): JsonObject => {
  if (part.kind === "text") return { type: "input_text", text: part.text };
  if (part.kind === "image") return { type: "input_image", detail: "auto", image_url: dataUrl(part) };
  if (part.url !== undefined) return { type: "input_file", file_url: part.url };
  return { type: "input_file", filename: fileName(part), file_data: dataUrl(part) };
};

export const readGeneratedImage = (item: unknown): MediaPart | undefined => {
  if (readField(item, "type") !== "image_generation_call") return undefined;
  return readMedia(
    `image/${toTextOrEmpty(readField(item, "output_format")) || "png"}`,
    readField(item, "result"),
  );
};
