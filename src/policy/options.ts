import { checkFields } from "../base/json/check-fields.ts";
import type { Principal } from "../types/principal.ts";
import type { InjectionOptions } from "./lineage/injection-guard.ts";
import type { Right } from "./right.ts";
import type { Rule } from "./rule.ts";

/** Rules, toolkits, tables of rights, and approval requirements. */
export interface PolicyOptions {
  /**
   * If there is a rule, a call needs a rule that allows it in addition to the principal's own right. Unless
   * set: none.
   */
  readonly rules?: readonly Rule[];
  /** Named lists of tool name patterns for principals, rules and rights. Unless set: none. */
  readonly toolkits?: Readonly<Record<string, readonly string[]>>;
  /** What agents, users, tenants and roles may use. Every table must allow a call. Unless set: none. */
  readonly rights?: Rights;
  /** Tools of high and critical risk require approval unless a rule waives it. Unless set: true. */
  readonly blockHighRiskWithoutApproval?: boolean;
  /**
   * After untrusted content was read, calls that carry data out require approval unless a rule waives it.
   * Unless set: true.
   */
  readonly approveTaintedSinks?: boolean;
  /**
   * The same for read-only calls of open-world tools whose arguments contain an address such as a URL. Unless
   * set: true.
   */
  readonly approveTaintedAddresses?: boolean;
  /** What requires approval after untrusted content was read. Unless set: `{ mode: "taint" }`. */
  readonly injection?: InjectionOptions;
  /** `false`: read-only tools of low risk need no right, only a caller and no denial. Unless set: true. */
  readonly requireAuthorizationForAll?: boolean;
  /**
   * Base folder of relative paths of `path` conditions, in rules and in arguments. Unless set: the base folder of
   * the file tools.
   */
  readonly pathBase?: string;
  /**
   * Refuses a policy with warnings when the runtime opens, such as a rule that matches no tool. Unless set:
   * false.
   */
  readonly strict?: boolean;
}

/**
 * Rights by name. A caller that is missing in a table may use nothing. If a caller has several roles, one of
 * them must allow the call and none may deny it.
 */
export interface Rights {
  /** Rights by agent name. Unless set: no table. */
  readonly agents?: RightTable;
  /** Rights by user name. Unless set: no table. */
  readonly users?: RightTable;
  /** Rights by tenant name. Unless set: no table. */
  readonly tenants?: RightTable;
  /** Rights by role name. Unless set: no table. */
  readonly roles?: RightTable;
}

/** By the name of their owner. */
export type RightTable = Readonly<Record<string, Right>>;

export interface NarrowOptions extends Right {
  /** Unless set: the delegator's own. */
  readonly agent?: string;
}

/**
 * Delegates a right or a part of it. The delegate has the same user and tenant, and it is never allowed more
 * than its delegator. Without `allow` and `toolkits` the whole right is delegated.
 */
export const narrow = (principal: Principal, to: NarrowOptions = {}): Principal => {
  checkFields("The right that narrows a principal", to, ["agent", "allow", "deny", "toolkits"]);
  const { session, user, tenant, roles } = principal;
  const { agent = principal.agent, allow, deny, toolkits } = to;
  const delegated = allow === undefined && toolkits === undefined ? ["*"] : allow;
  return Object.freeze({
    agent,
    ...(session !== undefined && { session }),
    ...(user !== undefined && { user }),
    ...(tenant !== undefined && { tenant }),
    ...(roles !== undefined && { roles: freezeList(roles) }),
    ...(delegated !== undefined && { allow: freezeList(delegated) }),
    ...(deny !== undefined && { deny: freezeList(deny) }),
    ...(toolkits !== undefined && { toolkits: freezeList(toolkits) }),
    within: principal,
  });
};

/** The policy denies everything for an invalid value. */
const freezeList = (list: readonly string[]): readonly string[] =>
  Array.isArray(list) ? Object.freeze([...list]) : list;
