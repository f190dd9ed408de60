import { loadToolName, searchToolName } from "../../../types/tool-search.ts";

/** What a gateway that is searched adds of its own: how clients find tools, have them listed, and call them unlisted. */
export const searchToolNames = [searchToolName, loadToolName, "call_tool"] as const;

const searchToolNameSet: ReadonlySet<string> = new Set(searchToolNames);

export const isSearchToolName = (name: unknown): boolean =>
  typeof name === "string" && searchToolNameSet.has(name);
