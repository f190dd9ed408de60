import { hashJson } from "../../base/json/hash.ts";
import { isObject, type JsonObject } from "../../base/json/is-object.ts";

/** Covers content, type and requested permissions. */
export const hashPage = ({ contents }: JsonObject): string | undefined => {
  if (!Array.isArray(contents) || contents.length === 0 || !contents.every(isObject)) return undefined;
  const pages = contents.map(({ mimeType, text, blob, _meta }) => ({
    mimeType,
    text,
    blob,
    ui: isObject(_meta) ? _meta.ui : undefined,
  }));
  try {
    return `sha256:${hashJson(pages)}`;
  } catch {
    return undefined;
  }
};
