import type { Registration, ToolOrigin } from "../types/tool.ts";

export type Resolution =
  | { readonly ok: true; readonly registration: Registration }
  | { readonly ok: false; readonly code: "unknown_tool"; readonly candidates: readonly [] }
  /** Full names, sorted. */
  | { readonly ok: false; readonly code: "ambiguous_tool"; readonly candidates: readonly string[] };

export interface Shadowing {
  readonly shadowed: readonly Registration[];
  readonly by: Registration;
}

export interface NameResolver {
  readonly add: (registration: Registration, overrides: boolean) => Shadowing;
  readonly remove: (registration: Registration) => void;
  readonly find: (name: string) => Registration | undefined;
  readonly resolve: (name: string) => Resolution;
  readonly isReachable: (registration: Registration) => boolean;
  /** In order of precedence. */
  readonly bearers: (shortName: string) => readonly Registration[];
}

const unknownTool: Resolution = Object.freeze({
  ok: false,
  code: "unknown_tool",
  candidates: Object.freeze([]) as [],
});

const internalPrefix = "internal/";

/**
 * Resolves a full name first, then a wire name, then a short name by source. One map is updated on every
 * change, so that a look-up is one step.
 */
export const nameResolver = (): NameResolver => {
  const registrationByName = new Map<string, Registration>();
  const byWireName = new Map<string, Registration>();
  const indexByShortName = new Map<string, NameIndex>();

  const settle = (name: string): void => {
    const wired = byWireName.get(name);
    if (wired !== undefined && wired.tool.spec.name !== name) {
      registrationByName.set(name, wired);
      return;
    }
    const bearers = matchesOf(indexByShortName.get(name));
    const [only] = bearers;
    if (bearers.size !== 1 || only === undefined) registrationByName.delete(name);
    else registrationByName.set(name, only);
  };

  const settleAll = ({ key, wireName, tool }: Registration): void => {
    const short = tool.spec.name;
    settle(short);
    if (wireName !== short) settle(wireName);
    if (key === short) return;
    const found = byWireName.get(wireName);
    if (found === undefined) registrationByName.delete(key);
    else registrationByName.set(key, found);
  };

  const internal = (name: string): Registration | undefined => {
    if (!name.startsWith(internalPrefix)) return undefined;
    const short = name.slice(internalPrefix.length);
    return allRegistrations(indexByShortName.get(short)).find(
      ({ key, origin }) => origin === "internal" && key === short,
    );
  };

  const find = (name: string): Registration | undefined => registrationByName.get(name) ?? internal(name);

  return {
    add: (registration, overrides) => {
      const short = registration.tool.spec.name;
      const index = indexByShortName.get(short) ?? {};
      const before = matchesOf(index);
      byWireName.set(registration.wireName, registration);
      addToIndex(index, registration, overrides);
      indexByShortName.set(short, index);
      settleAll(registration);
      const after = matchesOf(index);
      const shadowed = before === after ? [] : [...before].filter((one) => !after.has(one));
      if (!after.has(registration)) shadowed.push(registration);
      const [by = registration] = after;
      return { shadowed, by };
    },
    remove: (registration) => {
      const short = registration.tool.spec.name;
      const index = indexByShortName.get(short) ?? {};
      byWireName.delete(registration.wireName);
      removeFromIndex(index, registration);
      if (Object.keys(index).length === 0) indexByShortName.delete(short);
      settleAll(registration);
    },
    find,
    resolve: (name) => {
      const registration = find(name);
      if (registration !== undefined) return { ok: true, registration };
      const bearers = matchesOf(indexByShortName.get(name));
      if (bearers.size === 0) return unknownTool;
      const candidates = [...bearers].map((one) => one.key).sort();
      return { ok: false, code: "ambiguous_tool", candidates };
    },
    isReachable: (registration) => registrationByName.get(registration.wireName) === registration,
    bearers: (shortName) => allRegistrations(indexByShortName.get(shortName)),
  };
};

type RegistrationSet = Set<Registration>;

interface NameIndex {
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

const allRegistrations = (index: NameIndex | undefined): readonly Registration[] => {
  if (index === undefined) return [];
  const everyone = new Set(matchesOf(index));
  for (const set of [index.project, index.org, index.internal])
    for (const one of set ?? []) everyone.add(one);
  return [...everyone];
};

const addToIndex = (index: NameIndex, registration: Registration, overrides: boolean): void => {
  for (const slot of slotNames(registration, overrides)) {
    const set = index[slot];
    if (set === undefined) index[slot] = new Set([registration]);
    else set.add(registration);
  }
};

const removeFromIndex = (index: NameIndex, registration: Registration): void => {
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

/** Why a name resolves to its tool. Contains full names. */
export interface Explanation {
  readonly name: string;
  /** Missing if the name is unknown or ambiguous. */
  readonly answers: string | undefined;
  readonly origin: ToolOrigin | undefined;
  /** Tools with the same short name that the resolved tool shadows. */
  readonly shadows: readonly string[];
  /** The tool that shadows the short name of the resolved tool, if there is one. */
  readonly shadowedBy: string | undefined;
  /** Every tool that the name could mean, in order of precedence. */
  readonly candidates: readonly string[];
}

export const explainName = (names: NameResolver, name: string): Explanation => {
  const resolution = names.resolve(name);
  const registration = resolution.ok ? resolution.registration : undefined;
  const short = registration?.tool.spec.name ?? name;
  const bearers = names.bearers(short).map((bearer) => bearer.key);
  const meant = names.resolve(short);
  const shortAnswer = meant.ok ? meant.registration.key : undefined;
  const answers = registration?.key;
  const isShort = name === short;
  return Object.freeze({
    name,
    answers,
    origin: registration?.origin,
    shadows:
      answers !== undefined && answers === shortAnswer ? bearers.filter((bearer) => bearer !== answers) : [],
    shadowedBy: answers !== undefined && shortAnswer !== answers ? shortAnswer : undefined,
    candidates: isShort ? bearers : answers === undefined ? [] : [answers],
  });
};
