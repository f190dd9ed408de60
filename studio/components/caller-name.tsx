import type { Caller } from "@api/shared.ts";
import { ForeignText } from "./foreign-text.tsx";

export const CallerName = ({ caller }: { readonly caller: Caller }) => (
  <ForeignText text={callerText(caller)} />
);

/** The caller as the `as` parameter of the API. */
export const callerId = (caller: Caller): string => {
  let { session, user, tenant, within } = caller;
  for (; within !== undefined; within = within.within) {
    session ??= within.session;
    user ??= within.user;
    tenant ??= within.tenant;
  }
  return JSON.stringify([caller.agent, session ?? null, user ?? null, tenant ?? null]);
};

export const callerText = ({ agent, user, tenant, session, roles, within }: Caller): string =>
  [
    agent,
    user && `user ${user}`,
    tenant && `tenant ${tenant}`,
    session && `session ${session}`,
    roles !== undefined && roles.length > 0 && `roles ${roles.join(", ")}`,
    within && `delegated by ${callerText(within)}`,
  ]
    .filter(Boolean)
    .join(" · ");
