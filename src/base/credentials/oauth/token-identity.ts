import type { Principal } from "../../../types/principal.ts";

export interface TokenIdentity {
  readonly tenant: string | undefined;
  readonly user: string | undefined;
  readonly agent: string;
}

const maxDelegationDepth = 64;

/**
 * A delegated caller has the tenant and user of its delegator. One that names others has no identity, because
 * delegation can only narrow.
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

const agentPathOf = (principal: Principal): string => {
  const agents = [principal.agent];
  for (let lender = principal.within; lender !== undefined; lender = lender.within) {
    if (lender.agent !== agents.at(-1)) agents.push(lender.agent);
  }
  return agents.length === 1 ? principal.agent : JSON.stringify(agents);
};

export const tokenKeyOf = (name: string, { tenant, user, agent }: TokenIdentity): string =>
  JSON.stringify([name, tenant ?? null, user ?? null, agent]);
