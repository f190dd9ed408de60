import { readPart } from "../../json/read-part.ts";
import { isMedia, type MediaPart } from "../../words/content.ts";

/** Media of a provider's answer as a part, or nothing where it is none that could be told again. */
export const readMedia = (mediaType: unknown, data: unknown): MediaPart | undefined => {
  const reading = readPart({ kind: kindOf(mediaType), mediaType, data });
  return reading.ok && isMedia(reading.part) ? reading.part : undefined;
};

export const kindOf = (mediaType: unknown): MediaPart["kind"] => {
  const [top] = String(mediaType).toLowerCase().split("/", 1);
  return top === "image" || top === "audio" ? top : "file";
};
