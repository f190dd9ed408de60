import * as Context from "effect/Context";

/** The caller. It may use the union of `allow` and `toolkits`, minus `deny`. */
export interface Principal {
  /** Name of the agent. The ledger, rules, tokens and approvals use it. */
  readonly agent: string;
  /**
   * Separates conversations of one caller: a session grant is valid only in its session. Unless set: no
   * session.
   */
  readonly session?: string;
  /**
   * The user on whose behalf the agent acts. Tokens of one user are never used for another. Unless set: no
   * user.
   */
  readonly user?: string;
  /** Separates customers: tokens, keys and approvals are not shared across tenants. Unless set: no tenant. */
  readonly tenant?: string;
  /**
   * Tool name patterns: `*` matches part of one segment, `**` any text; `*` alone is every tool. Unless set:
   * none.
   */
  readonly allow?: readonly string[];
  /** Overrides `allow` and `toolkits`. Unless set: none. */
  readonly deny?: readonly string[];
  /** Names of toolkits of the runtime. Unless set: none. */
  readonly toolkits?: readonly string[];
  /** Used by rules and permission tables; a role alone allows nothing. Unless set: none. */
  readonly roles?: readonly string[];
  /** The delegator: only what it may do is allowed. Unless set: none. */
  readonly within?: Principal;
}

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

export const quotaOwnerOf = (principal: Principal): string => {
  const { agent, user, tenant } = callerIdentityOf(principal);
  return tenant === undefined ? (user === undefined ? `agent ${agent}` : `user ${user}`) : `tenant ${tenant}`;
};

export const callerKeyOf = (principal: Principal): string => {
  const { agent, session, user, tenant } = callerIdentityOf(principal);
  return JSON.stringify([agent, session ?? null, user ?? null, tenant ?? null]);
};

const isSamePrincipal = (one: Principal, other: Principal): boolean =>
  one.agent === other.agent &&
  one.session === other.session &&
  one.user === other.user &&
  one.tenant === other.tenant;

/** The same caller with the same chain of delegators. */
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
 * Returns the principal that continues what `asked` started, with the current rights of `now`: the same
 * caller, or a delegator limited to the delegated rights. Undefined for any other caller.
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

/** The caller of the current fiber. Undefined by default, which permits nothing. */
export const CurrentPrincipal: Context.Reference<Principal | undefined> = Context.Reference<
  Principal | undefined
>("haft/CurrentPrincipal", { defaultValue: () => undefined });
