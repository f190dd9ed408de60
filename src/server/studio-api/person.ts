import type { Principal } from "../../types/principal.ts";
import { type Caller, type Scope, scopeSchema } from "./schemas/shared.ts";

export interface Person {
  /** Recorded in the ledger with their answers and calls. */
  readonly name: string;
  readonly principal: Principal | undefined;
  readonly scopes: readonly Scope[];
  readonly expiresAt?: number;
  readonly signedOut?: AbortSignal;
  /** Signed in by link; may resume runs of all callers. */
  readonly isOperator?: true;
}

export const scopesOf = ({ roles = [] }: Principal): readonly Scope[] =>
  scopeSchema.enum.filter((scope) => roles.includes(scope));

export const personNameOf = ({ user, agent }: Principal): string => user ?? agent;

const maxDelegationDepthShown = 16;

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
