import type { MediaPart } from "../../words/content.ts";
import type { TakenMedia } from "../../words/model.ts";
import type { GeminiPart } from "./part.ts";

const types = ["image/*", "audio/*", "video/*", "application/pdf", "text/*"];

/** What the Gemini API takes. An address is one that Google can open. */
export const geminiTakes: TakenMedia = Object.freeze({
  data: types,
  url: types,
  // 100 MB for the whole request, of which the words need some.
  maxLength: 99_614_720,
});

export const toGeminiMedia = ({ mediaType, data, url }: MediaPart): GeminiPart =>
  data === undefined
    ? { fileData: { mimeType: mediaType, fileUri: url } }
    : { inlineData: { mimeType: mediaType, data } };
