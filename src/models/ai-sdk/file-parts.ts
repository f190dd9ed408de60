import { isObject, type JsonObject } from "../../base/json/is-object.ts";
import { readPart } from "../../base/json/read-part.ts";
import { isMedia, type MediaPart } from "../../types/content.ts";
import { mediaKindOf } from "../dialects/media/read-media.ts";

/** Since v4, file data is tagged with its kind. */
const isTagged = (version: string): boolean => !/^v[23]$/.test(version);

const withFileName = ({ name }: MediaPart): JsonObject => (name === undefined ? {} : { filename: name });

const sourceOf = (version: string, { data, url }: MediaPart): unknown => {
  if (data !== undefined) return isTagged(version) ? { type: "data", data } : data;
  return isTagged(version) ? { type: "url", url: new URL(url) } : new URL(url);
};

export const toFilePart = (version: string, part: MediaPart): JsonObject => ({
  type: "file",
  mediaType: part.mediaType,
  ...withFileName(part),
  data: sourceOf(version, part),
});

export const toResultFile = (version: string, part: MediaPart): JsonObject => {
  const { mediaType, data, url } = part;
  if (isTagged(version)) return toFilePart(version, part);
  if (version === "v2") return { type: "media", mediaType, data: data ?? url };
  return data === undefined
    ? { type: "file-url", url }
    : { type: "file-data", mediaType, data, ...withFileName(part) };
};

export const readGeneratedFile = ({ type, mediaType, data }: JsonObject): MediaPart | undefined => {
  if (type !== "file") return undefined;
  const source = isObject(data) && !(data instanceof Uint8Array) ? (data.data ?? data.url) : data;
  const bytes = source instanceof Uint8Array ? Buffer.from(source).toString("base64") : source;
  const where = isObject(data) && data.type === "url" ? { url: String(bytes) } : { data: bytes };
  const reading = readPart({ kind: mediaKindOf(mediaType), mediaType, ...where });
  return reading.ok && isMedia(reading.part) ? reading.part : undefined;
};
