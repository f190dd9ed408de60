import { type Condition, compileCondition } from "../schema/compile-condition.ts";
import { ConfigurationError } from "../words/errors.ts";
import type { JsonSchema } from "../words/json.ts";
import { isTainted, type PolicyRequest } from "./request.ts";

/** What only a call can tell. While tools are offered nothing of it is known, and the better answer counts. */
export interface Conditions {
  /** Holds only for arguments that fit. Arguments that were never validated meet restrictions and no permissions. */
  readonly when?: JsonSchema;
  /** Whether words from outside have been read in this run. */
  readonly tainted?: boolean;
  /** Whether the arguments had to be repaired. */
  readonly repaired?: boolean;
  /** Holds once the run has spent at least that much, of each that is named. */
  readonly spent?: { readonly calls?: number; readonly cost?: number };
}

export interface RuleCondition {
  readonly field: keyof Conditions;
  /** As the policy has it. */
  readonly given: unknown;
  /** Throws when that cannot be judged, which is not the same as no. */
  readonly holds: (request: PolicyRequest) => boolean;
}

/** The cheap ones first. */
export const compileConditions = (
  { tainted, repaired, spent, when }: Conditions,
  place: string,
): readonly RuleCondition[] => {
  const conditions: RuleCondition[] = [];
  if (tainted !== undefined) {
    conditions.push({ field: "tainted", given: tainted, holds: (request) => isTainted(request) === tainted });
  }
  if (repaired !== undefined) {
    conditions.push({
      field: "repaired",
      given: repaired,
      holds: (request) => (request.repaired === true) === repaired,
    });
  }
  if (spent !== undefined) {
    const { calls = 0, cost = 0 } = spent;
    const holds: RuleCondition["holds"] = ({ tally }) =>
      counted(tally?.calls) >= calls && counted(tally?.cost) >= cost;
    conditions.push({ field: "spent", given: spent, holds });
  }
  if (when !== undefined) {
    const fits = readCondition(when, place);
    conditions.push({ field: "when", given: when, holds: ({ input }) => fits(input) });
  }
  return conditions;
};

const counted = (amount = 0): number => {
  if (Number.isNaN(amount)) throw new Error("nobody knows what the run has spent");
  return amount;
};

const readCondition = (when: JsonSchema, place: string): Condition => {
  try {
    return compileCondition(when);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : cause;
    throw new ConfigurationError("invalid_config", `${place}.when is no usable JSON Schema (${why}).`);
  }
};
