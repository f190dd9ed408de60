import {
  anyType,
  arrayTypeOf,
  booleanType,
  enumTypeOf,
  objectTypeOf,
  optionalField,
  type Schema,
  stringListType,
  stringType,
  timeType,
  type ValueOf,
} from "./schema-builders.ts";
import { callerRef, findingRef } from "./shared.ts";

export const rightEffectSchema = enumTypeOf("allow", "approve", "deny", "unknown");
/** `approve`: requires approval. `unknown`: the policy engine does not say. */
export type RightEffect = ValueOf<typeof rightEffectSchema>;

export const rightCircumstanceSchema = enumTypeOf(
  "arguments",
  "untrusted-words",
  "repairs",
  "spending",
  "unknown",
);
/** What can change a decision: arguments, untrusted content in the run, repairs, or the run's spending. */
export type RightCircumstance = ValueOf<typeof rightCircumstanceSchema>;

export const namedPrincipalSchema = objectTypeOf({
  /** Value for `as`. */
  id: stringType,
  caller: callerRef,
  /** Where it was found. Current rights of principals from the `ledger` are unknown. */
  from: enumTypeOf("signed-in", "runtime", "configuration", "ledger"),
  lastSeenAt: optionalField(timeType),
});
/** A known principal. */
export interface NamedPrincipal extends ValueOf<typeof namedPrincipalSchema> {}

const rightFields = {
  effect: rightEffectSchema,
  reason: stringType,
  ruleIds: stringListType,
  /** What else can change the decision. Empty if it holds for every call. */
  depends: arrayTypeOf(rightCircumstanceSchema),
};
export const rightSchema = objectTypeOf(rightFields);
/** What a principal may do with a tool, and why. */
export interface Right extends ValueOf<typeof rightSchema> {}

export const rightsSchema = objectTypeOf({
  principals: arrayTypeOf<Schema<NamedPrincipal>>(namedPrincipalSchema),
  tools: stringListType,
  /** There are more tools or principals. */
  isCut: booleanType,
  /** One row per principal, one cell per tool. */
  cells: arrayTypeOf(arrayTypeOf<Schema<Right>>(rightSchema)),
});
/** Matrix of principals and tools. */
export interface Rights extends ValueOf<typeof rightsSchema> {}

export const ruleStateSchema = enumTypeOf(
  "decides",
  "would-decide",
  "agrees",
  "overruled",
  "not-enough",
  "unmet",
  "other-tools",
  "other-callers",
);
/**
 * `would-decide`: its conditions are open. `agrees`: has the same effect as the decision. `overruled`: by
 * `overruledBy` or by the caller's lists. `not-enough`: allows the call, but something else requires
 * approval. `unmet`: a condition does not hold. The others do not apply.
 */
export type RuleState = ValueOf<typeof ruleStateSchema>;

export const explainedRuleSchema = objectTypeOf({
  id: stringType,
  effect: rightEffectSchema,
  state: ruleStateSchema,
  concerns: booleanType,
  covers: booleanType,
  met: optionalField(booleanType),
  unmet: stringListType,
  /** Conditions in words, such as `input.amount ≥ 1000`. */
  conditions: arrayTypeOf(
    objectTypeOf({ field: stringType, words: stringType, met: optionalField(booleanType) }),
  ),
  overruledBy: stringListType,
  /** What decided instead. */
  why: optionalField(stringType),
});
/** A policy rule and its part in a decision. */
export interface ExplainedRule extends ValueOf<typeof explainedRuleSchema> {}

export const rightExplainedSchema = objectTypeOf({
  ...rightFields,
  tool: stringType,
  caller: callerRef,
  /** The explanation in sentences. */
  text: stringType,
  /** Schema violations of the arguments. Such a call fails before the policy is checked. */
  findings: arrayTypeOf(findingRef),
  rules: arrayTypeOf<Schema<ExplainedRule>>(explainedRuleSchema),
  links: arrayTypeOf(
    objectTypeOf({
      agent: stringType,
      user: optionalField(stringType),
      tenant: optionalField(stringType),
      effect: rightEffectSchema,
      reason: stringType,
      rights: arrayTypeOf(objectTypeOf({ who: stringType, refusal: optionalField(stringType) })),
    }),
  ),
});
/** Why a principal may or may not call a tool. */
export interface RightExplained extends ValueOf<typeof rightExplainedSchema> {}

export const explainBodySchema = objectTypeOf({
  /** ID or agent of a principal. Default: the signed-in person. */
  as: optionalField(stringType),
  tool: stringType,
  /** Default: any arguments. */
  input: optionalField(anyType),
  /** Assumes that the run has read untrusted content. */
  tainted: optionalField(booleanType),
});
/** The body of `POST /rights/explain`. */
export interface ExplainBody extends ValueOf<typeof explainBodySchema> {}
