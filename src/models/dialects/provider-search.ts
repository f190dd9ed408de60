import type { OfferedTool } from "./offered-tool.ts";

/** `defer_loading` hides a tool until the provider's search finds it. */
export type DeferrableTool<Tool> = Tool & { readonly defer_loading?: true };

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

/** Undefined if the request has no provider search. */
export type SearchableNames = ReadonlySet<string> | undefined;

export const searchableNames = (listed: readonly OfferedTool[]): SearchableNames =>
  listed.some(({ deferred }) => deferred === true)
    ? new Set(listed.map(({ wireName }) => wireName))
    : undefined;

/** The first two groups of `version` are the numbers. */
export const isVersionAtLeast = (
  modelId: string,
  version: RegExp,
  [from, fromMinor]: readonly [number, number],
): boolean => {
  const [, major, minor = "0"] = version.exec(modelId) ?? [];
  if (major === undefined) return false;
  return Number(major) > from || (Number(major) === from && Number(minor) >= fromMinor);
};
