import type { McpSession, RemoteTool } from "../../types/mcp.ts";
import { appResourceOf } from "../client/to-tool/mcp-app.ts";
import { hashPage } from "./page-hash.ts";

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
