import { hashJson } from "../../base/json/canonical-json.ts";
import { isObject, type JsonObject } from "../../base/json/json-value.ts";
import type { McpSession, RemoteTool } from "../../types/mcp.ts";
import { appResourceOf } from "../client/to-tool/tool-link.ts";

/** A page that cannot be read has no hash and is never shown. */
export const readPageHashes = async (
  session: McpSession,
  tools: readonly RemoteTool[],
  signal: AbortSignal | undefined,
): Promise<ReadonlyMap<string, string>> => {
  const read = new Map<string, Promise<string | undefined>>();
  const pages = new Map<string, string>();
  for (const tool of tools) {
    const uri = appResourceOf(tool);
    if (uri === undefined) continue;
    const request = {
      method: "resources/read",
      params: { uri },
      ...(signal === undefined ? {} : { signal }),
    };
    const reading = read.get(uri) ?? session.request(request).then(hashPage, () => undefined);
    read.set(uri, reading);
    const hash = await reading;
    if (hash !== undefined) pages.set(tool.name, hash);
  }
  return pages;
};

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
