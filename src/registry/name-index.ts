import type { Registration } from "../types/tool.ts";

type RegistrationSet = Set<Registration>;

export interface NameIndex {
  internal?: RegistrationSet;
  org?: RegistrationSet;
  project?: RegistrationSet;
  overridingOrg?: RegistrationSet;
  overridingProject?: RegistrationSet;
}

const noRegistrations: ReadonlySet<Registration> = new Set();

/**
 * A short name resolves to overriding tools (project before org), then internal ones, then the others. More
 * than one tool is ambiguous.
 */
export const matchesOf = (index: NameIndex | undefined): ReadonlySet<Registration> => {
  if (index === undefined) return noRegistrations;
  const { overridingProject, overridingOrg, internal, project, org } = index;
  return overridingProject ?? overridingOrg ?? internal ?? project ?? org ?? noRegistrations;
};

export const allRegistrations = (index: NameIndex | undefined): readonly Registration[] => {
  if (index === undefined) return [];
  const everyone = new Set(matchesOf(index));
  for (const set of [index.project, index.org, index.internal])
    for (const one of set ?? []) everyone.add(one);
  return [...everyone];
};

export const addToIndex = (index: NameIndex, registration: Registration, overrides: boolean): void => {
  for (const slot of slotNames(registration, overrides)) {
    const set = index[slot];
    if (set === undefined) index[slot] = new Set([registration]);
    else set.add(registration);
  }
};

export const removeFromIndex = (index: NameIndex, registration: Registration): void => {
  for (const slot of slotNames(registration, true)) {
    const set = index[slot];
    set?.delete(registration);
    if (set?.size === 0) delete index[slot];
  }
};

const slotNames = ({ origin }: Registration, overrides: boolean): readonly (keyof NameIndex)[] => {
  if (origin === "internal") return ["internal"];
  if (origin === "org") return overrides ? ["org", "overridingOrg"] : ["org"];
  return overrides ? ["project", "overridingProject"] : ["project"];
};
