import { refusedCallError } from "../refused-call-error.ts";
import { quotePath } from "./file-system-errors.ts";

export const textEncodings = ["utf-8", "utf-16le", "latin1"] as const;
export type TextEncoding = (typeof textEncodings)[number];
export type Encoding = TextEncoding | "base64";

/** Invalid bytes are an error. */
export interface ChunkDecoder {
  readonly decode: (piece: Uint8Array, isLast: boolean) => string;
}

export const chunkDecoder = (encoding: TextEncoding, path: string): ChunkDecoder => {
  // TextDecoder's latin1 is windows-1252.
  if (encoding === "latin1") return { decode: (piece) => Buffer.from(piece).toString("latin1") };
  const decoder = new TextDecoder(encoding, { fatal: true, ignoreBOM: true });
  return {
    decode: (piece, isLast) => {
      try {
        return decoder.decode(piece, { stream: !isLast });
      } catch {
        throw refusedCallError(
          `${quotePath(path)} is not ${encoding} text. Read it with another encoding: base64 for any file, latin1 or utf-16le for older text.`,
        );
      }
    },
  };
};

export const encodedLength = (text: string, encoding: TextEncoding): number =>
  Buffer.byteLength(text, encoding);

/** Does not split a character. */
export const fitToBytes = (text: string, encoding: TextEncoding, bytes: number): string => {
  if (encoding === "latin1") return text.slice(0, bytes);
  if (encoding === "utf-16le") return withoutLoneSurrogate(text.slice(0, bytes >> 1));
  const encoded = Buffer.from(text, "utf8");
  if (encoded.length <= bytes) return text;
  let end = bytes;
  while (end > 0 && (encoded[end]! & 0xc0) === 0x80) end--;
  return encoded.toString("utf8", 0, end);
};

const withoutLoneSurrogate = (text: string): string =>
  /[\uD800-\uDBFF]$/.test(text) ? text.slice(0, -1) : text;
