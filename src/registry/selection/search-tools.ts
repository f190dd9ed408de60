import type { ToolSpec } from "../../types/spec.ts";
import type { AnyTool } from "../../types/tool.ts";
import { checkPickOptions, type PickOptions, toQueryText, toSpecs, unsafeReason } from "./pick-options.ts";
import { type PickSource, pickSource } from "./pick-source.ts";
import { type ToolSearchResults, toToolSearch } from "./search-index.ts";

/** How `searchTools` and `haft.search` look. */
export type SearchOptions = Pick<PickOptions, "maxCandidates" | "minScore" | "allowUnsafe">;

const searchFields = [
  "maxCandidates",
  "minScore",
  "allowUnsafe",
] as const satisfies readonly (keyof SearchOptions)[];

/** The same as `searchTools`, from anywhere. */
export const searchFrom = (
  query: unknown,
  source: PickSource,
  options: SearchOptions = {},
): ToolSearchResults => {
  const { maxCandidates, minScore, allowUnsafe } = checkPickOptions(options, searchFields, "searchTools");
  const isSafe = (spec: ToolSpec): boolean => allowUnsafe || unsafeReason(spec) === undefined;
  return toToolSearch(source.search(toQueryText(query), maxCandidates, isSafe), minScore);
};

/**
 * What `pickTools` finds by words, with all that is known of it: how likely it is that any tool fits, why none does,
 * and which tool answers which part of a question that has several.
 */
export const searchTools = (
  query: unknown,
  tools: readonly (ToolSpec | AnyTool)[],
  options?: SearchOptions,
): ToolSearchResults => searchFrom(query, pickSource(tools, toSpecs(tools)), options);
