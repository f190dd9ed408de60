import { compilePatterns, type Matcher } from "../../policy/pattern.ts";
import type { ServeSearch } from "../serve-options.ts";

/** How a gateway is searched, with nothing left open. */
export interface SearchSettings {
  /** Whether a tool is always listed, by its full name or the one clients know. */
  readonly isAlways: Matcher;
  readonly above: number;
  readonly maxCandidates: number;
  readonly minScore: number;
}

/** Nothing where clients are shown everything. */
export const readSearch = (search: boolean | ServeSearch | undefined): SearchSettings | undefined => {
  if (search === undefined || search === false) return undefined;
  const { always = [], above = 50, maxCandidates = 5, minScore = 0.05 } = search === true ? {} : search;
  return { isAlways: compilePatterns(always), above, maxCandidates, minScore };
};
