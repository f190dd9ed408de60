import { checkFields } from "../base/json/check-fields.ts";
import type { Principal } from "../types/principal.ts";
import type { Right } from "./right.ts";

export interface NarrowOptions extends Right {
  /** Under whose name the calls are made; the lender's own unless named. */
  readonly agent?: string;
}

/**
 * Lends a right, or a part of it. The borrower is the same user of the same tenant, and whatever it is given, nothing
 * is allowed to it that is not allowed to its lender. Without `allow` and `toolkits` it is lent everything.
 */
export const narrow = (principal: Principal, to: NarrowOptions = {}): Principal => {
  checkFields("What a principal is narrowed to", to, ["agent", "allow", "deny", "toolkits"]);
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

/** What is no list stays what it is, and takes every right away. */
const freezeList = (list: readonly string[]): readonly string[] =>
  Array.isArray(list) ? Object.freeze([...list]) : list;
