import { type ContentPart, decodeTextFile, type MediaPart } from "../../types/message.ts";
import type { Redactor } from "./redact.ts";

type MaskText = Redactor["text"];

/** Leaves binary data unchanged, because masking would corrupt it. */
export const maskParts = (
  parts: readonly ContentPart[],
  { text: mask }: Pick<Redactor, "text">,
): readonly ContentPart[] =>
  parts.map((part) => {
    if (part.kind === "text") return { ...part, text: mask(part.text) };
    const named = part.name === undefined ? part : { ...part, name: mask(part.name) };
    return named.url === undefined ? maskFile(named, mask) : { ...named, url: mask(named.url) };
  });

const maskFile = (part: MediaPart, mask: MaskText): MediaPart => {
  const written = decodeTextFile(part);
  const masked = written === undefined ? undefined : mask(written);
  if (masked === undefined || masked === written) return part;
  return { ...part, data: Buffer.from(masked).toString("base64") } as MediaPart;
};
