import type { OfferedTool } from "./offered-tool.ts";

/** As a request takes it: `defer_loading` hides a tool, or its parameters, until the provider's search finds it. */
export type DeferrableTool<Tool> = Tool & { readonly defer_loading?: true };

/** The tools with the provider's search before them, where one of them is deferred; else as they are. */
export const withProviderSearch = <Search, Tool extends { readonly name: string }>(
  search: Search,
  listed: readonly OfferedTool[],
  tools: readonly Tool[],
): readonly (Search | DeferrableTool<Tool>)[] => {
  const deferred = new Set(listed.flatMap((one) => (one.deferred === true ? [one.wireName] : [])));
  if (deferred.size === 0) return tools;
  return [
    search,
    ...tools.map((one) => (deferred.has(one.name) ? { ...one, defer_loading: true as const } : one)),
  ];
};

/** What a conversation may still say of the provider's search: nothing, or what it found of these tools. */
export type SearchableNames = ReadonlySet<string> | undefined;

/** The names that an earlier search may have found, where this request searches too. */
export const searchableNames = (listed: readonly OfferedTool[]): SearchableNames =>
  listed.some(({ deferred }) => deferred === true)
    ? new Set(listed.map(({ wireName }) => wireName))
    : undefined;

/** Whether a model's name has a version from this one on; the pattern's first two groups are its numbers. */
export const isVersionAtLeast = (
  modelId: string,
  version: RegExp,
  [from, fromMinor]: readonly [number, number],
): boolean => {
  const [, major, minor = "0"] = version.exec(modelId) ?? [];
  if (major === undefined) return false;
  return Number(major) > from || (Number(major) === from && Number(minor) >= fromMinor);
};
