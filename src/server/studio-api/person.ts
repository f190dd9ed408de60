import type { Principal } from "../../types/principal.ts";
import type { Caller, Scope } from "./types/shared.ts";

/** Who looks at the Studio, by whatever they proved it. */
export interface Person {
  /** Under which name their answers are recorded. */
  readonly name: string;
  readonly principal: Principal | undefined;
  readonly scopes: readonly Scope[];
  readonly endsAt?: number;
  /** Aborts then. */
  readonly signedOut?: AbortSignal;
  /** Signed in by a link of whoever runs this: may go on with runs of anybody. */
  readonly isOperator?: true;
}

export const studioScopes = [
  "studio:read",
  "studio:approve",
  "studio:run",
] as const satisfies readonly Scope[];

/** What a principal's roles open: `studio:read` is a scope of a token, or a role that an operator gave. */
export const scopesOf = ({ roles = [] }: Principal): readonly Scope[] =>
  studioScopes.filter((scope) => roles.includes(scope));

export const personNameOf = ({ user, agent }: Principal): string => user ?? agent;

const maxDelegationDepthShown = 16;

/** Who a principal is, without what it may. */
export const toCaller = ({ agent, user, tenant, session, roles, within }: Principal, depth = 0): Caller => ({
  agent,
  ...(user === undefined ? {} : { user }),
  ...(tenant === undefined ? {} : { tenant }),
  ...(session === undefined ? {} : { session }),
  ...(roles === undefined || roles.length === 0 ? {} : { roles }),
  ...(within === undefined || depth >= maxDelegationDepthShown
    ? {}
    : { within: toCaller(within, depth + 1) }),
});
