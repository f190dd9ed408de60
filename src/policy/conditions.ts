import { type Condition, compileCondition } from "../base/schema/compile-condition.ts";
import { ConfigurationError } from "../types/errors.ts";
import type { JsonSchema } from "../types/json.ts";
import type { RunLineage, ValueOrigin, ValueSource } from "../types/lineage.ts";
import type { KnownTargetCheck } from "./lineage/known-targets.ts";
import { argumentOfOrigin, traceAll } from "./lineage/trace-arguments.ts";
import { compilePathCondition, type PathCondition } from "./path-condition.ts";
import { isTainted, type PolicyRequest } from "./policy-request.ts";

/**
 * Conditions that depend on the call. When tools are offered they are unknown, and the better result counts.
 */
export interface RuleConditions {
  /**
   * JSON Schema that the arguments must match. For arguments that were not validated, restrictions apply and
   * permissions do not. Unless set: any arguments.
   */
  readonly when?: JsonSchema;
  /** Whether the run has read untrusted content. Unless set: either. */
  readonly tainted?: boolean;
  /** Whether the arguments were repaired. Unless set: either. */
  readonly repaired?: boolean;
  /** Where a path argument leads, such as `{ within: "./notes" }`. Unless set: any path. */
  readonly path?: PathCondition;
  /**
   * Where the values of arguments came from, such as `{ to: ["user", "known"] }`. A rule that allows needs it
   * of every value of these arguments, a rule that restricts of one. Unless set: anywhere.
   */
  readonly from?: Readonly<Record<string, readonly ValueSource[]>>;
  /** Holds once the run has spent at least each named amount. Unless set: any amount. */
  readonly spent?: { readonly calls?: number; readonly cost?: number };
}

export interface RuleCondition {
  readonly field: keyof RuleConditions;
  readonly given: unknown;
  /** Unknown until there are arguments. */
  readonly readsInput: boolean;
  /** Throws if it cannot be evaluated, which differs from false. */
  readonly holds: (request: PolicyRequest) => boolean;
}

export interface ConditionSite {
  /** For messages. */
  readonly place: string;
  readonly pathBase: string;
  readonly isKnown: KnownTargetCheck;
}

type RuleEffect = "allow" | "deny" | "approve";

type ConditionCompiler<Field extends keyof RuleConditions> = (
  given: NonNullable<RuleConditions[Field]>,
  site: ConditionSite,
  effect: RuleEffect,
) => Pick<RuleCondition, "readsInput" | "holds">;

/** Evaluated in this order: cheap ones first. */
const compilers: { readonly [Field in keyof RuleConditions]-?: ConditionCompiler<Field> } = {
  tainted: (tainted) => ({ readsInput: false, holds: (request) => isTainted(request) === tainted }),
  repaired: (repaired) => ({
    readsInput: false,
    holds: (request) => (request.repaired === true) === repaired,
  }),
  spent: ({ calls = 0, cost = 0 }) => ({
    readsInput: false,
    holds: ({ tally }) => requireAmount(tally?.calls) >= calls && requireAmount(tally?.cost) >= cost,
  }),
  when: (when, { place }) => {
    const fits = readCondition(when, place);
    return { readsInput: true, holds: ({ input }) => fits(input) };
  },
  path: (path, { pathBase }, effect) => {
    const leads = compilePathCondition(path, pathBase, { isAllowing: effect === "allow" });
    return { readsInput: true, holds: ({ input }) => leads(input) };
  },
  from: (from, { isKnown }, effect) => ({
    readsInput: true,
    holds: compileOriginCondition(from, { isKnown, isAllowing: effect === "allow" }),
  }),
};

export const compileConditions = (
  conditions: RuleConditions,
  site: ConditionSite,
  effect: RuleEffect,
): readonly RuleCondition[] =>
  (Object.keys(compilers) as (keyof RuleConditions)[]).flatMap((field) => {
    const given = conditions[field];
    if (given === undefined) return [];
    const compile = compilers[field] as ConditionCompiler<keyof RuleConditions>;
    return [{ field, given, ...compile(given as never, site, effect) }];
  });

/** Without the texts of a run, only known targets have a source; other values come from the model. */
const compileOriginCondition =
  (
    from: NonNullable<RuleConditions["from"]>,
    { isKnown, isAllowing }: { readonly isKnown: KnownTargetCheck; readonly isAllowing: boolean },
  ): RuleCondition["holds"] =>
  ({ registration, input, tally }) => {
    const origins = traceAll(registration, input, { lineage: tally?.lineage ?? noLineage, isKnown });
    return Object.entries(from).every(([argument, sources]) => {
      const own = origins.filter((origin) => argumentOfOrigin(origin) === argument);
      const fits = ({ source }: ValueOrigin): boolean => sources.includes(source);
      return isAllowing ? own.every(fits) : own.some(fits);
    });
  };

const noLineage: RunLineage = Object.freeze({
  texts: [],
  approved: [],
  plan: undefined,
  hasLeftPlan: false,
});

const requireAmount = (amount = 0): number => {
  if (Number.isNaN(amount)) throw new Error("the cost of the run is unknown");
  return amount;
};

const readCondition = (when: JsonSchema, place: string): Condition => {
  try {
    return compileCondition(when);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : cause;
    throw new ConfigurationError("invalid_config", `${place}.when is not a usable JSON Schema (${why}).`);
  }
};
