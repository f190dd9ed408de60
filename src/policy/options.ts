import type { Right } from "./right.ts";
import type { Rule } from "./rule.ts";

/** Who may use what: rules, toolkits, tables of rights, and what needs a person. */
export interface PolicyOptions {
  /** Once there is a rule, a call needs one that lets it through, besides the principal's own right. Unless set: none. */
  readonly rules?: readonly Rule[];
  /** Tool name patterns under a name that principals, rules and rights can use. Unless set: none. */
  readonly toolkits?: Readonly<Record<string, readonly string[]>>;
  /** What agents, users, tenants and roles may use; a call must be within every table there is. Unless set: none. */
  readonly rights?: Rights;
  /** High and critical risk needs a person unless a rule waives it. Unless set: true. */
  readonly blockHighRiskWithoutApproval?: boolean;
  /** Once untrusted content was read, calls that carry data out need approval unless a rule waives it. Unless set: true. */
  readonly approveTaintedSinks?: boolean;
  /**
   * The same for calls of open-world tools that only read, if their arguments name an address such as a URL: `false` lets
   * them run, as in 0.2.0. Unless set: true.
   */
  readonly approveTaintedAddresses?: boolean;
  /** `false`: read-only tools of low risk need no right, only a caller and no denial. Unless set: true. */
  readonly requireAuthorizationForAll?: boolean;
  /** Where relative paths of `path` conditions begin. Unless set: where those of the file tools begin. */
  readonly pathBase?: string;
  /** Refuses a policy with warnings when the runtime opens, such as a rule that matches no tool. Unless set: false. */
  readonly strict?: boolean;
}

/**
 * By name. Where a table is kept, whoever is not in it may use nothing. Of several roles one must allow the call and
 * none may deny it.
 */
export interface Rights {
  /** By the name of the agent. */
  readonly agents?: RightTable;
  /** By the name of the user. */
  readonly users?: RightTable;
  /** By the name of the tenant. */
  readonly tenants?: RightTable;
  /** By the name of the role. */
  readonly roles?: RightTable;
}

/** Rights by the name of who has them. */
export type RightTable = Readonly<Record<string, Right>>;
