import { checkFields } from "../json/check-fields.ts";
import type { Principal } from "../words/principal.ts";
import type { Right } from "./right.ts";

export interface Narrowing extends Right {
  /** Under whose name the calls are made; the lender's own unless named. */
  readonly agent?: string;
}

/**
 * Lends a right, or a part of it. The borrower is the same user of the same tenant, and whatever it is given, nothing
 * is allowed to it that is not allowed to its lender. Without `allow` and `toolkits` it is lent everything.
 */
export const narrow = (principal: Principal, to: Narrowing = {}): Principal => {
  checkFields("What a principal is narrowed to", to, ["agent", "allow", "deny", "toolkits"]);
  const { session, user, tenant, roles } = principal;
  const { agent = principal.agent, allow, deny, toolkits } = to;
  const lent = allow === undefined && toolkits === undefined ? ["*"] : allow;
  return Object.freeze({
    agent,
    ...(session !== undefined && { session }),
    ...(user !== undefined && { user }),
    ...(tenant !== undefined && { tenant }),
    ...(roles !== undefined && { roles: frozen(roles) }),
    ...(lent !== undefined && { allow: frozen(lent) }),
    ...(deny !== undefined && { deny: frozen(deny) }),
    ...(toolkits !== undefined && { toolkits: frozen(toolkits) }),
    within: principal,
  });
};

/** What is no list stays what it is, and takes every right away. */
const frozen = (list: readonly string[]): readonly string[] =>
  Array.isArray(list) ? Object.freeze([...list]) : list;
