import * as Context from "effect/Context";

/** Who is calling. What it may use is the union of `allow` and `toolkits`, less `deny`. */
export interface Principal {
  /** In whose name calls are made. The ledger, rules, tokens and approvals go by it. */
  readonly agent: string;
  /** Keeps one conversation of a caller apart from others: an approval for the session holds only in it. Unless set: no session. */
  readonly session?: string;
  /** On whose behalf. Tokens of one user are never used for another. Unless set: no user. */
  readonly user?: string;
  /** Keeps customers apart: tokens, keys and approvals of one are nothing to another. Unless set: no tenant. */
  readonly tenant?: string;
  /** Tool name patterns: `*` stands for part of one segment, `**` for any; `*` alone is every tool. Unless set: none. */
  readonly allow?: readonly string[];
  /** Wins over `allow` and `toolkits`. Unless set: none. */
  readonly deny?: readonly string[];
  /** Names of toolkits the runtime was opened with. Unless set: none. */
  readonly toolkits?: readonly string[];
  /** What rules and tables of rights go by; on their own they allow nothing. Unless set: none. */
  readonly roles?: readonly string[];
  /** Who lent this caller its right: nothing is allowed that is not allowed there too. Unless set: nobody lent it. */
  readonly within?: Principal;
}

/** Who a caller is to others: the agent's own name, for the user and in the tenant of whoever lent it its right. */
export interface CallerIdentity {
  readonly agent: string;
  readonly session: string | undefined;
  readonly user: string | undefined;
  readonly tenant: string | undefined;
}

const maxDelegationDepth = 64;

export const callerIdentityOf = (principal: Principal): CallerIdentity => {
  let { session, user, tenant, within } = principal;
  for (let depth = 0; within !== undefined && depth < maxDelegationDepth; depth++) {
    session ??= within.session;
    user ??= within.user;
    tenant ??= within.tenant;
    within = within.within;
  }
  return { agent: principal.agent, session, user, tenant };
};

/** Who a caller's share of bounded memory counts for: its tenant, else its user, else its agent. */
export const quotaOwnerOf = (principal: Principal): string => {
  const { agent, user, tenant } = callerIdentityOf(principal);
  return tenant === undefined ? (user === undefined ? `agent ${agent}` : `user ${user}`) : `tenant ${tenant}`;
};

/** The same text for the same party, and for no other. */
export const callerKeyOf = (principal: Principal): string => {
  const { agent, session, user, tenant } = callerIdentityOf(principal);
  return JSON.stringify([agent, session ?? null, user ?? null, tenant ?? null]);
};

/** The same link, whatever it may do; its lenders are compared apart. */
const isSamePrincipal = (one: Principal, other: Principal): boolean =>
  one.agent === other.agent &&
  one.session === other.session &&
  one.user === other.user &&
  one.tenant === other.tenant;

/** The same caller, lent its right by the same lenders: what one of them left, the other may go on with. */
export const isSameCaller = (
  one: Principal | undefined,
  other: Principal | undefined,
  depth = 0,
): boolean => {
  if (one === undefined || other === undefined) return one === other;
  return (
    depth < maxDelegationDepth &&
    isSamePrincipal(one, other) &&
    isSameCaller(one.within, other.within, depth + 1)
  );
};

/**
 * Who goes on with what `asked` left, with the rights that `now` has: the same caller, or one of its lenders, who
 * gets no more than what was lent. Nobody else.
 */
export const resolveActingPrincipal = (
  asked: Principal,
  now: Principal,
  depth = 0,
): Principal | undefined => {
  if (isSameCaller(asked, now)) return now;
  if (asked.within === undefined || depth >= maxDelegationDepth) return undefined;
  const delegator = resolveActingPrincipal(asked.within, now, depth + 1);
  return delegator === undefined ? undefined : Object.freeze({ ...asked, within: delegator });
};

/** The caller of the running fiber. Nobody by default, and nobody may use anything. */
export const CurrentPrincipal: Context.Reference<Principal | undefined> = Context.Reference<
  Principal | undefined
>("haft/CurrentPrincipal", { defaultValue: () => undefined });
