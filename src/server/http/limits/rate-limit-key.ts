import { callerIdentityOf, type Principal } from "../../../types/principal.ts";

/** Whoever calls under whichever rights is counted as one. */
export const rateLimitKeyOf = (principal: Principal): string => {
  const { agent, user, tenant } = callerIdentityOf(principal);
  return JSON.stringify([tenant, user, agent]);
};
