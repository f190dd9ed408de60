import type { ContentPart } from "../words/content.ts";
import type { Redactor } from "./redact.ts";

/** Words, names and addresses may hold a secret. Bytes are left as they are: a mask would only break them. */
export const maskParts = (
  parts: readonly ContentPart[],
  { text: mask }: Pick<Redactor, "text">,
): readonly ContentPart[] =>
  parts.map((part) => {
    if (part.kind === "text") return { ...part, text: mask(part.text) };
    const named = part.name === undefined ? part : { ...part, name: mask(part.name) };
    return named.url === undefined ? named : { ...named, url: mask(named.url) };
  });
