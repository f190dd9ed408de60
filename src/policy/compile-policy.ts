import { ConfigurationError } from "../words/errors.ts";
import { type CompiledRule, compileRule } from "./compile-rule.ts";
import type { PolicyOptions } from "./options.ts";
import { compilePatterns } from "./pattern.ts";
import type { Toolkits } from "./right.ts";
import type { Rule } from "./rule.ts";
import { type CompiledTable, compileTables } from "./tables.ts";

export interface CompiledPolicy {
  readonly rules: readonly CompiledRule[];
  readonly toolkits: Toolkits;
  readonly tables: readonly CompiledTable[];
  readonly blockHighRisk: boolean;
  readonly guardsSinks: boolean;
  readonly freesHarmless: boolean;
  /** Whether a rule counts what a run has spent. */
  readonly countsCost: boolean;
}

export const compilePolicy = (options: PolicyOptions): CompiledPolicy => {
  const toolkits = compileToolkits(options.toolkits ?? {});
  return {
    toolkits,
    rules: compileRules(options.rules ?? [], toolkits),
    tables: compileTables(options.rights ?? {}, toolkits),
    blockHighRisk: options.blockHighRiskWithoutApproval !== false,
    guardsSinks: options.approveTaintedSinks !== false,
    freesHarmless: options.requireAuthorizationForAll === false,
    countsCost: options.rules?.some(({ spent }) => spent?.cost !== undefined) ?? false,
  };
};

const compileToolkits = (toolkits: NonNullable<PolicyOptions["toolkits"]>): Toolkits =>
  new Map(
    collect(Object.entries(toolkits), ([name, patterns]) => [name, compilePatterns(patterns)] as const),
  );

const compileRules = (rules: readonly Rule[], toolkits: Toolkits): readonly CompiledRule[] => {
  const ids = new Set<string>();
  return collect([...rules.entries()], ([index, rule]) => {
    const compiled = compileRule(rule, `rules[${index}]`, toolkits);
    if (ids.has(compiled.id)) {
      throw new ConfigurationError(
        "invalid_config",
        `rules[${index}].id is "${compiled.id}", which another rule has.`,
      );
    }
    ids.add(compiled.id);
    return compiled;
  });
};

/** Names every bad entry at once. */
const collect = <A, B>(entries: readonly A[], compile: (entry: A) => B): readonly B[] => {
  const refusals: string[] = [];
  const compiled = entries.flatMap((entry) => {
    try {
      return [compile(entry)];
    } catch (cause) {
      refusals.push(cause instanceof Error ? cause.message : String(cause));
      return [];
    }
  });
  if (refusals.length > 0) throw new ConfigurationError("invalid_config", refusals.join(" "));
  return compiled;
};
