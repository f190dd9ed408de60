import type { AnyTool, ToolSpec } from "../../types/tool.ts";
import {
  checkPickOptions,
  type PickOptions,
  type PickSource,
  pickSource,
  toQueryText,
  toSpecs,
  unsafeReason,
} from "./pick-options.ts";
import { type ToolSearchResults, toToolSearch } from "./search-index.ts";

/** Options of `searchTools` and `haft.search`. */
export type SearchOptions = Pick<PickOptions, "maxCandidates" | "minScore" | "allowUnsafe">;

const searchFields = [
  "maxCandidates",
  "minScore",
  "allowUnsafe",
] as const satisfies readonly (keyof SearchOptions)[];

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
 * Searches tools by words, and returns how likely any tool fits, why none does, and which tool answers which
 * part of the query.
 */
export const searchTools = (
  query: unknown,
  tools: readonly (ToolSpec | AnyTool)[],
  options?: SearchOptions,
): ToolSearchResults => searchFrom(query, pickSource(tools, toSpecs(tools)), options);
