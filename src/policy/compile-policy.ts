import { findPolicyErrors, refusePolicyErrors } from "./check/find-policy-errors.ts";
import { compileInjectionGuard, type InjectionGuard } from "./lineage/injection-guard.ts";
import type { PolicyOptions } from "./options.ts";
import { compilePatterns, type Toolkits } from "./right.ts";
import { type CompiledTable, compileTables } from "./right-tables.ts";
import { type CompiledRule, compileRule } from "./rule.ts";

export interface CompiledPolicy {
  readonly rules: readonly CompiledRule[];
  readonly toolkits: Toolkits;
  readonly tables: readonly CompiledTable[];
  readonly blockHighRisk: boolean;
  readonly guardsSinks: boolean;
  readonly guardsAddresses: boolean;
  readonly injectionGuard: InjectionGuard;
  readonly freesHarmless: boolean;
  readonly countsCost: boolean;
}

/** The error lists every problem. */
export const compilePolicy = (options: PolicyOptions): CompiledPolicy => {
  refusePolicyErrors(findPolicyErrors(options));
  const toolkits = compileToolkits(options.toolkits ?? {});
  const injectionGuard = compileInjectionGuard(options.injection ?? {});
  const { isKnown } = injectionGuard;
  const { pathBase = "." } = options;
  return {
    toolkits,
    rules: (options.rules ?? []).map((rule, index) =>
      compileRule(rule, { place: `rules[${index}]`, toolkits, pathBase, isKnown }),
    ),
    tables: compileTables(options.rights ?? {}, toolkits),
    blockHighRisk: options.blockHighRiskWithoutApproval !== false,
    guardsSinks: options.approveTaintedSinks !== false,
    guardsAddresses: options.approveTaintedSinks !== false && options.approveTaintedAddresses !== false,
    injectionGuard,
    freesHarmless: options.requireAuthorizationForAll === false,
    countsCost: options.rules?.some(({ spent }) => spent?.cost !== undefined) ?? false,
  };
};

const compileToolkits = (toolkits: NonNullable<PolicyOptions["toolkits"]>): Toolkits =>
  new Map(Object.entries(toolkits).map(([name, patterns]) => [name, compilePatterns(patterns)] as const));
