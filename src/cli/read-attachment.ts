import { isUtf8 } from "node:buffer";
import { readFile, stat } from "node:fs/promises";
import { basename, extname } from "node:path";
import { type DataPart, formatBytes, type MediaKind } from "../types/content.ts";
import { CommandUsageError } from "./command-usage-error.ts";

const mediaTypeByExtension: Readonly<Record<string, string>> = {
  png: "image/png",
  jpg: "image/jpeg",
  jpeg: "image/jpeg",
  gif: "image/gif",
  webp: "image/webp",
  svg: "image/svg+xml",
  wav: "audio/wav",
  mp3: "audio/mpeg",
  flac: "audio/flac",
  ogg: "audio/ogg",
  m4a: "audio/mp4",
  mp4: "video/mp4",
  pdf: "application/pdf",
  json: "application/json",
  csv: "text/csv",
  md: "text/markdown",
  html: "text/html",
  txt: "text/plain",
  zip: "application/zip",
};

/** In hexadecimal. Signatures take precedence over the file extension. */
const mediaTypeBySignature: readonly (readonly [pattern: RegExp, mediaType: string])[] = [
  [/^89504e470d0a1a0a/, "image/png"],
  [/^ffd8ff/, "image/jpeg"],
  [/^47494638/, "image/gif"],
  [/^52494646.{8}57454250/, "image/webp"],
  [/^52494646.{8}57415645/, "audio/wav"],
  [/^(494433|fff[23ab])/, "audio/mpeg"],
  [/^664c6143/, "audio/flac"],
  [/^4f676753/, "audio/ogg"],
  [/^25504446/, "application/pdf"],
];

/** No provider accepts more in one request. */
const maxAttachmentBytes = 104_857_600;

export const readAttachment = async (path: string): Promise<DataPart> => {
  const facts = await stat(path).catch(() => undefined);
  if (facts === undefined) throw new CommandUsageError(`--file ${path}: this file does not exist.`);
  if (!facts.isFile())
    throw new CommandUsageError(`--file ${path} is not a file. Pass each file separately.`);
  if (facts.size === 0) throw new CommandUsageError(`--file ${path} is empty.`);
  if (facts.size > maxAttachmentBytes) {
    throw new CommandUsageError(
      `--file ${path} has ${formatBytes(facts.size)}; the maximum is ${formatBytes(maxAttachmentBytes)}.`,
    );
  }
  const bytes = await readFile(path).catch((error: Error) => {
    throw new CommandUsageError(`--file ${path} cannot be read: ${error.message}`);
  });
  const mediaType = detectMediaType(path, bytes);
  return {
    kind: mediaKindOf(mediaType),
    mediaType,
    name: attachmentName(path),
    data: bytes.toString("base64"),
  };
};

const detectMediaType = (path: string, bytes: Buffer): string => {
  const start = bytes.subarray(0, 16).toString("hex");
  const known = mediaTypeBySignature.find(([pattern]) => pattern.test(start))?.[1];
  if (known !== undefined) return known;
  const ending = extname(path).slice(1).toLowerCase();
  const said = Object.hasOwn(mediaTypeByExtension, ending) ? mediaTypeByExtension[ending]! : undefined;
  if (said !== undefined) return said;
  return isUtf8(bytes) ? "text/plain" : "application/octet-stream";
};

const mediaKindOf = (mediaType: string): MediaKind => {
  const [top] = mediaType.split("/", 1);
  return top === "image" || top === "audio" ? top : "file";
};

const attachmentName = (path: string): string => basename(path).slice(-255);
