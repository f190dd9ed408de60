import { loadToolName, searchToolName } from "../../../types/tool-search.ts";

export const searchToolNames = [searchToolName, loadToolName, "call_tool"] as const;

const searchToolNameSet: ReadonlySet<string> = new Set(searchToolNames);

export const isSearchToolName = (name: unknown): boolean =>
  typeof name === "string" && searchToolNameSet.has(name);
