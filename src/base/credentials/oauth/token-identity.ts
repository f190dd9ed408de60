import type { Principal } from "../../../types/principal.ts";

/** Whose token it is. */
export interface TokenIdentity {
  readonly tenant: string | undefined;
  readonly user: string | undefined;
  readonly agent: string;
}

const maxDelegationDepth = 64;

/**
 * A caller acts for the user and in the tenant of whoever lent it its right. One that names others than its lender
 * has no identity: a right can be narrowed on its way down, never swapped.
 */
export const tokenIdentityOf = (principal: Principal): TokenIdentity | undefined => {
  let { tenant, user } = principal;
  let lender = principal.within;
  for (let depth = 0; lender !== undefined; depth++) {
    const isSwapped =
      (tenant !== undefined && lender.tenant !== undefined && tenant !== lender.tenant) ||
      (user !== undefined && lender.user !== undefined && user !== lender.user);
    if (isSwapped || depth >= maxDelegationDepth) return undefined;
    tenant ??= lender.tenant;
    user ??= lender.user;
    lender = lender.within;
  }
  return { tenant, user, agent: agentPathOf(principal) };
};

/** An agent that another lent its right to is not the one that has it of its own. */
const agentPathOf = (principal: Principal): string => {
  const agents = [principal.agent];
  for (let lender = principal.within; lender !== undefined; lender = lender.within) {
    if (lender.agent !== agents.at(-1)) agents.push(lender.agent);
  }
  return agents.length === 1 ? principal.agent : JSON.stringify(agents);
};

/** No two of them read the same, whatever their parts hold. */
export const tokenKeyOf = (name: string, { tenant, user, agent }: TokenIdentity): string =>
  JSON.stringify([name, tenant ?? null, user ?? null, agent]);
