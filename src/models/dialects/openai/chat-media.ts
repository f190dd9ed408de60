import type { JsonObject } from "../../../base/json/is-object.ts";
import type { ContentPart, MediaPart } from "../../../types/content.ts";
import type { AcceptedMedia } from "../../../types/model.ts";
import { dataUrl, fileName } from "../media/data-url.ts";

const imageTypes = ["image/png", "image/jpeg", "image/gif", "image/webp"];
const audioFormats: Readonly<Record<string, string>> = {
  "audio/wav": "wav",
  "audio/x-wav": "wav",
  "audio/mpeg": "mp3",
  "audio/mp3": "mp3",
};

/** Accepted by the API; single models accept less. */
export const chatMedia: AcceptedMedia = Object.freeze({
  data: [...imageTypes, ...Object.keys(audioFormats), "application/pdf"],
  url: imageTypes,
  // 50 MB per request, in base64 characters.
  maxLength: 69_905_067,
});

export const toChatPart = (part: ContentPart): JsonObject => {
  if (part.kind === "text") return { type: "text", text: part.text };
  if (part.kind === "image") return { type: "image_url", image_url: { url: dataUrl(part) } };
  return part.kind === "audio" && part.data !== undefined ? toAudio(part, part.data) : toFile(part);
};

const toAudio = ({ mediaType }: MediaPart, data: string): JsonObject => ({
  type: "input_audio",
  input_audio: { data, format: audioFormats[mediaType.toLowerCase()] ?? mediaType.split("/")[1] },
});

const toFile = (part: MediaPart): JsonObject => ({
  type: "file",
  file: { filename: fileName(part), file_data: dataUrl(part) },
});
