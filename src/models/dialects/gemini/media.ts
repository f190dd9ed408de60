import type { MediaPart } from "../../../types/content.ts";
import type { AcceptedMedia } from "../../../types/model.ts";
import type { GeminiPart } from "./gemini-part.ts";

const mediaTypes = ["image/*", "audio/*", "video/*", "application/pdf", "text/*"];

/** A URL must be accessible to Google. */
export const geminiMedia: AcceptedMedia = Object.freeze({
  data: mediaTypes,
  url: mediaTypes,
  // 100 MB for the whole request, minus space for text.
  maxLength: 99_614_720,
});

export const toGeminiMedia = ({ mediaType, data, url }: MediaPart): GeminiPart =>
  data === undefined
    ? { fileData: { mimeType: mediaType, fileUri: url } }
    : { inlineData: { mimeType: mediaType, data } };
