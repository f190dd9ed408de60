import type { Registration } from "../words/tool.ts";

type Bearers = Set<Registration>;

/** Every tool of one short name, by source. A set without members is absent. */
export interface NameIndex {
  internal?: Bearers;
  org?: Bearers;
  project?: Bearers;
  overridingOrg?: Bearers;
  overridingProject?: Bearers;
}

const none: ReadonlySet<Registration> = new Set();

/**
 * The tools that a short name stands for: those registered to override, project before org; then internal ones; then
 * the rest, as servers bring them along. More than one of the same rank is ambiguous.
 */
export const bearersOf = (shelf: NameIndex | undefined): ReadonlySet<Registration> => {
  if (shelf === undefined) return none;
  const { overridingProject, overridingOrg, internal, project, org } = shelf;
  return overridingProject ?? overridingOrg ?? internal ?? project ?? org ?? none;
};

/** All of them, in order of precedence. */
export const everyoneOn = (shelf: NameIndex | undefined): readonly Registration[] => {
  if (shelf === undefined) return [];
  const everyone = new Set(bearersOf(shelf));
  for (const set of [shelf.project, shelf.org, shelf.internal])
    for (const one of set ?? []) everyone.add(one);
  return [...everyone];
};

export const putOn = (shelf: NameIndex, registration: Registration, overrides: boolean): void => {
  for (const slot of slotsOf(registration, overrides)) {
    const set = shelf[slot];
    if (set === undefined) shelf[slot] = new Set([registration]);
    else set.add(registration);
  }
};

export const takeOff = (shelf: NameIndex, registration: Registration): void => {
  for (const slot of slotsOf(registration, true)) {
    const set = shelf[slot];
    set?.delete(registration);
    if (set?.size === 0) delete shelf[slot];
  }
};

const slotsOf = ({ origin }: Registration, overrides: boolean): readonly (keyof NameIndex)[] => {
  if (origin === "internal") return ["internal"];
  if (origin === "org") return overrides ? ["org", "overridingOrg"] : ["org"];
  return overrides ? ["project", "overridingProject"] : ["project"];
};
