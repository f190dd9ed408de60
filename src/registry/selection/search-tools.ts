import type { ToolSpec } from "../words/spec.ts";
import type { AnyTool } from "../words/tool.ts";
import { checkPick, dangerOf, type PickOptions, toSpecs, toText } from "./pick-options.ts";
import { type PickSource, sourceOf } from "./pick-source.ts";
import { type ToolSearch, toSearch } from "./search.ts";

/** How `searchTools` and `haft.search` look. */
export type SearchOptions = Pick<PickOptions, "maxCandidates" | "minScore" | "allowUnsafe">;

const fields = [
  "maxCandidates",
  "minScore",
  "allowUnsafe",
] as const satisfies readonly (keyof SearchOptions)[];

/** The same as `searchTools`, from anywhere. */
export const searchFrom = (query: unknown, source: PickSource, options: SearchOptions = {}): ToolSearch => {
  const { maxCandidates, minScore, allowUnsafe } = checkPick(options, fields, "searchTools");
  const isSafe = (spec: ToolSpec): boolean => allowUnsafe || dangerOf(spec) === undefined;
  return toSearch(source.search(toText(query), maxCandidates, isSafe), minScore);
};

/**
 * What `pickTools` finds by words, with all that is known of it: how likely it is that any tool fits, why none does,
 * and which tool answers which part of a question that has several.
 */
export const searchTools = (
  query: unknown,
  tools: readonly (ToolSpec | AnyTool)[],
  options?: SearchOptions,
): ToolSearch => searchFrom(query, sourceOf(tools, toSpecs(tools)), options);
