import { checkFields } from "../base/json/check-fields.ts";
import type { Principal } from "../types/principal.ts";
import type { Right } from "./right.ts";

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
