import { suggestName } from "../../base/text/nearest.ts";
import type { PolicyProblem } from "../../types/policy-problem.ts";
import type { Registration } from "../../types/tool.ts";
import { type PathCondition, pathArgumentOf } from "../path-condition.ts";
import { memberNames } from "./argument-schema.ts";
import { createProblem, type ProblemSite } from "./policy-problems.ts";
import { argumentsOf, distinctInputs, toolsWithArgument } from "./tool-arguments.ts";

export const checkPath = (
  condition: PathCondition,
  tools: readonly Registration[],
  site: ProblemSite,
): readonly PolicyProblem[] => {
  const inputs = distinctInputs(tools);
  const argument = pathArgumentOf(condition);
  if (inputs.length === 0 || argumentsOf(inputs).isOpen || toolsWithArgument(inputs, argument).length > 0)
    return [];
  const names = [...new Set(inputs.flatMap(({ schemas }) => schemas.flatMap(memberNames)))];
  const why = `is about the argument "${argument}", which none of its tools has`;
  const suggestion =
    suggestName(argument, names).trimStart() ||
    `Name the argument: path: { argument: "${names[0] ?? "file"}", within: … }.`;
  return [createProblem(site, "unknown_property", why, { suggestion })];
};
