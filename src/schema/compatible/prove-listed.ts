import { listed } from "../issues.ts";
import { describe } from "../judge/describe.ts";
import type { Claim } from "./claim.ts";
import type { Prover } from "./prover.ts";
import { type Place, type Reason, reasonAt } from "./reason.ts";

/** What a finding that only lists what would be right is about. */
const choices = ["enum", "values", "anyOf", "oneOf"] as const;

/** Values that can be listed are judged one by one. */
export const proveListed = (
  prover: Prover,
  values: readonly unknown[],
  goal: Claim,
  at: Place,
): readonly Reason[] => {
  const strange = values.filter((value) => !prover.holds(goal, value));
  if (strange.length === 0) return [];
  const { side, node } = goal;
  const [finding] = side.judge.find(node, strange[0], "");
  const choice =
    typeof node === "boolean" ? undefined : choices.find((keyword) => node[keyword] !== undefined);
  const keyword = finding === undefined || finding.keyword === "enum" ? (choice ?? "enum") : finding.keyword;
  const must = finding?.pointer === "" && finding.expected ? finding.expected : describe(side.schema, node);
  return [reasonAt(at, keyword === "values" ? "enum" : keyword, listed(strange, 5), must)];
};
