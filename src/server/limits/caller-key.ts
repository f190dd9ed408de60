import { type Principal, partyOf } from "../../words/principal.ts";

/** Whoever calls under whichever rights is counted as one. */
export const callerKey = (principal: Principal): string => {
  const { agent, user, tenant } = partyOf(principal);
  return JSON.stringify([tenant, user, agent]);
};
