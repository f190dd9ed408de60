import type { Right } from "./right.ts";
import type { Rule } from "./rule.ts";

export interface PolicyOptions {
  /** Once there is a rule, a call needs one that lets it through, besides the principal's own right. */
  readonly rules?: readonly Rule[];
  /** Tool name patterns under a name that principals, rules and rights can use. */
  readonly toolkits?: Readonly<Record<string, readonly string[]>>;
  /** What agents, users, tenants and roles may use; a call must be within every table there is. */
  readonly rights?: Rights;
  /** High and critical risk needs a person unless a rule waives it. On unless set to false. */
  readonly blockHighRiskWithoutApproval?: boolean;
  /** Where untrusted words were read, what carries data out needs a person unless a rule waives it. On unless set to false. */
  readonly approveTaintedSinks?: boolean;
  /** Set to false, read-only tools of low risk need no grant, only a caller and no denial. */
  readonly requireAuthorizationForAll?: boolean;
}

/**
 * By name. Where a table is kept, whoever is not in it may use nothing. Of several roles one must allow the call and
 * none may deny it.
 */
export interface Rights {
  readonly agents?: RightTable;
  readonly users?: RightTable;
  readonly tenants?: RightTable;
  readonly roles?: RightTable;
}

export type RightTable = Readonly<Record<string, Right>>;
