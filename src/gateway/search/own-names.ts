import { loadName, searchName } from "../../words/tool-search.ts";

/** What a gateway that is searched adds of its own: how clients find tools, have them listed, and call them unlisted. */
export const ownNames = [searchName, loadName, "call_tool"] as const;

const all: ReadonlySet<string> = new Set(ownNames);

export const isOwnName = (name: unknown): boolean => typeof name === "string" && all.has(name);
