import type { McpSession, RemoteTool } from "../../words/mcp.ts";
import { uiResourceOf } from "../client/to-tool/ui-of.ts";
import { pageHash } from "./page-hash.ts";

/** Pages of apps as they are now, by tool. One that cannot be read is not reviewed, and so is not shown to anybody. */
export const pagesOf = async (
  session: McpSession,
  tools: readonly RemoteTool[],
  signal: AbortSignal | undefined,
): Promise<ReadonlyMap<string, string>> => {
  const read = new Map<string, Promise<string | undefined>>();
  const pages = new Map<string, string>();
  for (const tool of tools) {
    const uri = uiResourceOf(tool);
    if (uri === undefined) continue;
    const request = {
      method: "resources/read",
      params: { uri },
      ...(signal === undefined ? {} : { signal }),
    };
    const reading = read.get(uri) ?? session.request(request).then(pageHash, () => undefined);
    read.set(uri, reading);
    const hash = await reading;
    if (hash !== undefined) pages.set(tool.name, hash);
  }
  return pages;
};
