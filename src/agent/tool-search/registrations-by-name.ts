import type { Registration } from "../../types/tool.ts";

const nameCache = new WeakMap<readonly Registration[], ReadonlyMap<string, Registration>>();

/** Wire names have priority. Cached per list. */
export const registrationsByName = (
  registrations: readonly Registration[],
): ReadonlyMap<string, Registration> => {
  const before = nameCache.get(registrations);
  if (before !== undefined) return before;
  const names = new Map<string, Registration>();
  for (const one of registrations) names.set(one.key, one);
  for (const one of registrations) names.set(one.wireName, one);
  nameCache.set(registrations, names);
  return names;
};
