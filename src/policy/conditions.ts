import { isObject } from "../base/json/json-value.ts";
import { isInside, realPathBySteps, realPathFrom } from "../base/platform/real-path.ts";
import { type Condition, compileCondition } from "../base/schema/compile-condition.ts";
import { ConfigurationError } from "../types/errors.ts";
import type { JsonSchema } from "../types/json.ts";
import type { RunLineage, ValueOrigin, ValueSource } from "../types/lineage.ts";
import { isTainted, type PolicyRequest } from "./engine.ts";
import type { KnownTargetCheck } from "./lineage/known-targets.ts";
import { argumentOfOrigin, traceAll } from "./lineage/trace-arguments.ts";

/** Where a path argument leads. `within` and `outside` must both hold. */
export interface PathCondition {
  /** A path or a list of paths. Unless set: `path`. */
  readonly argument?: string;
  /**
   * Holds if the path is in one of these folders; not for a missing argument. Of a list, a rule that allows needs
   * all paths there, and a rule that restricts needs one.
   */
  readonly within?: string | readonly string[];
  /** Holds if the path is in none of these folders, or the argument is missing. Lists count as in `within`. */
  readonly outside?: string | readonly string[];
}

export const pathArgumentOf = ({ argument = "path" }: PathCondition): string => argument;

export const foldersOf = (folders: string | readonly string[]): readonly string[] => [folders].flat();

/**
 * Resolves paths as the file tools do. Throws if that fails, and for a path that a tool may resolve in another
 * way.
 */
const compilePathCondition = (
  condition: PathCondition,
  base: string,
  { isAllowing }: { readonly isAllowing: boolean },
): ((input: unknown) => boolean) => {
  const argument = pathArgumentOf(condition);
  const { within, outside } = condition;
  return (input) => {
    const paths = pathsIn(input, argument).map((path) => unambiguousPathFrom(base, path));
    const holdFor = (test: (path: string) => boolean): boolean =>
      isAllowing ? paths.every(test) : paths.some(test);
    return (
      (within === undefined || (paths.length > 0 && holdFor(insideTest(within, base)))) &&
      (outside === undefined || paths.length === 0 || holdFor((path) => !insideTest(outside, base)(path)))
    );
  };
};

/** File tools drop `link/..` from a path; the operating system goes to the parent of what the link leads to. */
const unambiguousPathFrom = (base: string, path: string): string => {
  const real = realPathFrom(base, path);
  if (path.split(/[\\/]/).includes("..") && real !== realPathBySteps(base, path))
    throw new Error(`the path ${JSON.stringify(path)} leaves a link through ".."`);
  return real;
};

/** Folders may be created or replaced by links at any time. */
const insideTest = (folders: string | readonly string[], base: string): ((path: string) => boolean) => {
  const roots = foldersOf(folders).map((folder) => realPathFrom(base, folder));
  return (path) => isInside(path, roots);
};

const pathsIn = (input: unknown, argument: string): readonly string[] => {
  const value = isObject(input) && Object.hasOwn(input, argument) ? input[argument] : undefined;
  if (value === undefined || value === null) return [];
  const paths: readonly unknown[] = Array.isArray(value) ? value : [value];
  if (paths.every((path) => typeof path === "string")) return paths;
  throw new Error(`the argument ${JSON.stringify(argument)} is not a path or a list of paths`);
};

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
