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
import { callerRef, validationIssueRef } from "./shared.ts";

export const permissionEffectSchema = enumTypeOf("allow", "approve", "deny", "unknown");
/** `approve`: requires approval. `unknown`: the policy engine does not say. */
export type PermissionEffect = ValueOf<typeof permissionEffectSchema>;

export const permissionFactorSchema = enumTypeOf(
  "arguments",
  "untrusted-content",
  "repairs",
  "spending",
  "unknown",
);
/** What can change a decision: arguments, untrusted content in the run, repairs, or the run's spending. */
export type PermissionFactor = ValueOf<typeof permissionFactorSchema>;

export const namedPrincipalSchema = objectTypeOf({
  /** Value for `as`. */
  id: stringType,
  caller: callerRef,
  /** Where it was found. Current rights of principals from the `ledger` are unknown. */
  source: enumTypeOf("signed-in", "runtime", "configuration", "ledger"),
  lastSeenAt: optionalField(timeType),
});
/** A known principal. */
export interface NamedPrincipal extends ValueOf<typeof namedPrincipalSchema> {}

const permissionFields = {
  effect: permissionEffectSchema,
  reason: stringType,
  ruleIds: stringListType,
  /** What else can change the decision. Empty if it holds for every call. */
  dependsOn: arrayTypeOf(permissionFactorSchema),
};
export const permissionSchema = objectTypeOf(permissionFields);
/** What a principal may do with a tool, and why. */
export interface Permission extends ValueOf<typeof permissionSchema> {}

export const permissionsSchema = objectTypeOf({
  principals: arrayTypeOf<Schema<NamedPrincipal>>(namedPrincipalSchema),
  tools: stringListType,
  /** There are more tools or principals. */
  hasMore: booleanType,
  /** One row per principal, one cell per tool. */
  cells: arrayTypeOf(arrayTypeOf<Schema<Permission>>(permissionSchema)),
});
/** Matrix of principals and tools. */
export interface Permissions extends ValueOf<typeof permissionsSchema> {}

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
  effect: permissionEffectSchema,
  state: ruleStateSchema,
  matchesCaller: booleanType,
  matchesTool: booleanType,
  met: optionalField(booleanType),
  unmet: stringListType,
  /** Conditions in words, such as `input.amount ≥ 1000`. */
  conditions: arrayTypeOf(
    objectTypeOf({ field: stringType, text: stringType, met: optionalField(booleanType) }),
  ),
  overruledBy: stringListType,
  /** What decided instead. */
  reason: optionalField(stringType),
});
/** A policy rule and its part in a decision. */
export interface ExplainedRule extends ValueOf<typeof explainedRuleSchema> {}

export const permissionExplanationSchema = objectTypeOf({
  ...permissionFields,
  tool: stringType,
  caller: callerRef,
  /** The explanation in sentences. */
  text: stringType,
  /** Schema violations of the arguments. Such a call fails before the policy is checked. */
  issues: arrayTypeOf(validationIssueRef),
  rules: arrayTypeOf<Schema<ExplainedRule>>(explainedRuleSchema),
  callers: arrayTypeOf(
    objectTypeOf({
      agent: stringType,
      user: optionalField(stringType),
      tenant: optionalField(stringType),
      effect: permissionEffectSchema,
      reason: stringType,
      lists: arrayTypeOf(objectTypeOf({ owner: stringType, refusal: optionalField(stringType) })),
    }),
  ),
});
/** Why a principal may or may not call a tool. */
export interface PermissionExplanation extends ValueOf<typeof permissionExplanationSchema> {}

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
