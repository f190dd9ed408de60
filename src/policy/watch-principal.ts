import type { Principal } from "../types/principal.ts";

const alwaysCurrent = () => true;

/** A principal that is not deeply frozen may lose a right by mutation. */
export const watchPrincipal = (principal: Principal): (() => boolean) => {
  const now = () => [principal.allow, principal.deny, principal.toolkits, principal.roles];
  const lists = now();
  if (Object.isFrozen(principal) && lists.every((list) => list === undefined || Object.isFrozen(list)))
    return alwaysCurrent;
  const { agent, user, tenant, within } = principal;
  const copies = lists.map((list) => (Array.isArray(list) ? [...list] : list));
  return () =>
    principal.agent === agent &&
    principal.user === user &&
    principal.tenant === tenant &&
    principal.within === within &&
    now().every((list, index) => isSameList(list, copies[index]));
};

const isSameList = (list: readonly string[] | undefined, copy: readonly string[] | undefined): boolean => {
  if (list === undefined || copy === undefined) return list === copy;
  return list.length === copy.length && list.every((entry, index) => entry === copy[index]);
};
