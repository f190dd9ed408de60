import { readPart } from "../../../base/json/read-part.ts";
import { isMedia, type MediaPart } from "../../../types/message.ts";

export const readMedia = (mediaType: unknown, data: unknown): MediaPart | undefined => {
  const reading = readPart({ kind: mediaKindOf(mediaType), mediaType, data });
  return reading.ok && isMedia(reading.part) ? reading.part : undefined;
};

export const mediaKindOf = (mediaType: unknown): MediaPart["kind"] => {
  const [top] = String(mediaType).toLowerCase().split("/", 1);
  return top === "image" || top === "audio" ? top : "file";
};
