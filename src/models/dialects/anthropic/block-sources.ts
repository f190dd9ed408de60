import { foreignFieldsOf } from "../calls/foreign-fields.ts";
import { sourceName, untrustedSourceNames } from "../untrusted-sources.ts";
import { isToolSearch } from "./tool-search.ts";

const ownBlocks: ReadonlySet<unknown> = new Set(["text", "tool_use", "thinking", "redacted_thinking"]);

/** Provider tool search returns only offered definitions, so it is no source. */
export const blockSources = (block: unknown): readonly string[] => {
  const { type, name } = foreignFieldsOf(block);
  if (isToolSearch(foreignFieldsOf(block))) return [];
  if (ownBlocks.has(type)) return untrustedSourceNames(block);
  return [sourceName(type === "server_tool_use" || type === "mcp_tool_use" ? name : type)];
};
