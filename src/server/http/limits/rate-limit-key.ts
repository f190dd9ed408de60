import { callerIdentityOf, type Principal } from "../../../types/principal.ts";

/** Independent of the caller's session and rights. */
export const rateLimitKeyOf = (principal: Principal): string => {
  const { agent, user, tenant } = callerIdentityOf(principal);
  return JSON.stringify([tenant, user, agent]);
};
