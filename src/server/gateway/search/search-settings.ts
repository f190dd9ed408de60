import { checkFields } from "../../../base/json/check-fields.ts";
import { compilePatterns, type Matcher } from "../../../policy/compile-pattern.ts";
import { maxFoundTools } from "../../../registry/selection/search-answer.ts";
import { ConfigurationError } from "../../../types/errors.ts";
import { toolSearchDefaults } from "../../../types/tool-search.ts";
import type { ServeSearch } from "../serve-options.ts";

export interface SearchSettings {
  readonly isAlways: Matcher;
  readonly above: number;
  readonly maxCandidates: number;
  readonly minScore: number;
}

export const readSearchSettings = (search: boolean | ServeSearch | undefined): SearchSettings | undefined => {
  if (search === undefined || search === false) return undefined;
  const given = search === true ? {} : search;
  if (typeof given !== "object" || given === null)
    throw new ConfigurationError(
      "invalid_config",
      "serve.search must be true, false or { always, above, maxCandidates, minScore }.",
    );
  checkFields("serve.search", given, ["always", "above", "maxCandidates", "minScore"]);
  const { always = [], above = 50 } = given;
  const { maxCandidates = toolSearchDefaults.maxCandidates, minScore = toolSearchDefaults.minScore } = given;
  const fail = (field: string, takes: string): ConfigurationError =>
    new ConfigurationError("invalid_config", `serve.search.${field} must be ${takes}.`);
  if (!Number.isSafeInteger(above) || above < 0) throw fail("above", "a whole number of at least 0");
  if (!Number.isSafeInteger(maxCandidates) || maxCandidates < 1 || maxCandidates > maxFoundTools)
    throw fail("maxCandidates", `a whole number from 1 to ${maxFoundTools}`);
  if (typeof minScore !== "number" || !(minScore >= 0 && minScore <= 1))
    throw fail("minScore", "a number from 0 to 1");
  return { isAlways: compilePatterns(always), above, maxCandidates, minScore };
};
