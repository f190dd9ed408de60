import { type Condition, compileCondition } from "../base/schema/compile-condition.ts";
import { ConfigurationError } from "../types/errors.ts";
import type { JsonSchema } from "../types/json.ts";
import { compilePathCondition, type PathCondition } from "./path-condition.ts";
import { isTainted, type PolicyRequest } from "./policy-request.ts";

/** What only a call can tell. While tools are offered nothing of it is known, and the better answer counts. */
export interface RuleConditions {
  /** Holds only for arguments that fit. Arguments that were never validated meet restrictions and no permissions. */
  readonly when?: JsonSchema;
  /** Whether words from outside have been read in this run. */
  readonly tainted?: boolean;
  /** Whether the arguments had to be repaired. */
  readonly repaired?: boolean;
  /** Where a path in the arguments leads, such as `{ within: "./notes" }`. */
  readonly path?: PathCondition;
  /** Holds once the run has spent at least that much, of each that is named. */
  readonly spent?: { readonly calls?: number; readonly cost?: number };
}

export interface RuleCondition {
  readonly field: keyof RuleConditions;
  /** As the policy has it. */
  readonly given: unknown;
  /** Whether it reads the arguments, so that it is open until there are some. */
  readonly readsInput: boolean;
  /** Throws when that cannot be judged, which is not the same as no. */
  readonly holds: (request: PolicyRequest) => boolean;
}

/** Where conditions are compiled. */
export interface ConditionSite {
  /** The rule, for messages. */
  readonly place: string;
  /** Where relative paths begin. */
  readonly pathBase: string;
}

/** The cheap ones first. */
export const compileConditions = (
  { tainted, repaired, spent, when, path }: RuleConditions,
  { place, pathBase }: ConditionSite,
): readonly RuleCondition[] => {
  const conditions: RuleCondition[] = [];
  if (tainted !== undefined) {
    conditions.push({
      field: "tainted",
      given: tainted,
      readsInput: false,
      holds: (request) => isTainted(request) === tainted,
    });
  }
  if (repaired !== undefined) {
    conditions.push({
      field: "repaired",
      given: repaired,
      readsInput: false,
      holds: (request) => (request.repaired === true) === repaired,
    });
  }
  if (spent !== undefined) {
    const { calls = 0, cost = 0 } = spent;
    const holds: RuleCondition["holds"] = ({ tally }) =>
      requireAmount(tally?.calls) >= calls && requireAmount(tally?.cost) >= cost;
    conditions.push({ field: "spent", given: spent, readsInput: false, holds });
  }
  if (when !== undefined) {
    const fits = readCondition(when, place);
    conditions.push({ field: "when", given: when, readsInput: true, holds: ({ input }) => fits(input) });
  }
  if (path !== undefined) {
    const leads = compilePathCondition(path, pathBase);
    conditions.push({ field: "path", given: path, readsInput: true, holds: ({ input }) => leads(input) });
  }
  return conditions;
};

const requireAmount = (amount = 0): number => {
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
