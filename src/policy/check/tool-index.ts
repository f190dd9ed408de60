import { nearest } from "../../base/text/nearest.ts";
import type { Registration } from "../../types/tool.ts";
import { compilePattern, type Matcher } from "../right.ts";

/** A server whose tools are not registered yet. */
export interface PendingServer {
  readonly id: string;
  /** Its tools have no prefix, so that any pattern may match. Unless set: false. */
  readonly isBare?: boolean;
}

export interface ToolIndex {
  /** Sorted by key in code unit order. */
  readonly all: readonly Registration[];
  readonly matching: (pattern: string) => readonly Registration[];
  /** Tools of a project or an organization that models get by the short name of an internal tool. */
  readonly overriding: (name: string) => readonly Registration[];
  /** For tools of unconnected servers. */
  readonly mayMatchLater: (pattern: string) => boolean;
  readonly hasPending: boolean;
  readonly suggest: (pattern: string) => string | undefined;
}

const noRegistrations: readonly Registration[] = [];

export const indexTools = (
  registrations: readonly Registration[],
  pending: readonly PendingServer[] = [],
): ToolIndex => {
  const all = isSorted(registrations) ? registrations : registrations.toSorted(byKey);
  const matches = new Map<string, readonly Registration[]>();
  const matching = (pattern: string): readonly Registration[] => {
    const before = matches.get(pattern);
    if (before !== undefined) return before;
    const found = findMatching(all, pattern);
    matches.set(pattern, found);
    return found;
  };
  let names: NameTable | undefined;
  let overrides: ReadonlyMap<string, readonly Registration[]> | undefined;
  return {
    all,
    matching,
    overriding: (name) => {
      overrides ??= Map.groupBy(
        all.filter(({ origin }) => origin === "project" || origin === "org"),
        ({ tool }) => tool.spec.name,
      );
      return overrides.get(name) ?? noRegistrations;
    },
    hasPending: pending.length > 0,
    mayMatchLater: (pattern) =>
      pending.some(({ id, isBare }) => isBare === true || canMatchInside(pattern, id)),
    suggest: (pattern) => {
      const wider = patternsAcrossNamespaces(pattern).find((each) => matching(each).length > 0);
      if (wider !== undefined) return wider;
      names ??= createNameTable(all);
      return suggestPattern(names, pattern);
    },
  };
};

const byKey = (one: Registration, other: Registration): number => (one.key < other.key ? -1 : 1);

const isSorted = (registrations: readonly Registration[]): boolean =>
  registrations.every((each, index) => index === 0 || registrations[index - 1]!.key <= each.key);

/** Sorted keys with a common prefix are adjacent. */
const findMatching = (all: readonly Registration[], pattern: string): readonly Registration[] => {
  if (pattern === "*" || pattern === "**") return all;
  const star = pattern.indexOf("*");
  const prefix = star < 0 ? pattern : pattern.slice(0, star);
  const matches: Matcher = compilePattern(pattern);
  const found: Registration[] = [];
  for (let index = lowerBound(all, prefix); index < all.length; index++) {
    const registration = all[index]!;
    if (!registration.key.startsWith(prefix)) break;
    if (matches(registration.key)) found.push(registration);
  }
  return found.length === 0 ? noRegistrations : found;
};

const lowerBound = (all: readonly Registration[], prefix: string): number => {
  let low = 0;
  let high = all.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (all[middle]!.key < prefix) low = middle + 1;
    else high = middle;
  }
  return low;
};

const canMatchInside = (pattern: string, id: string): boolean => {
  if (pattern === "*" || pattern === "**") return true;
  const [first = "", ...rest] = pattern.split("/");
  return first === "**" || (rest.length > 0 && compilePattern(first)(id));
};

/** `*` does not match a slash. */
const patternsAcrossNamespaces = (pattern: string): readonly string[] =>
  !pattern.includes("*") || pattern.includes("/")
    ? []
    : [`**/${pattern.replace(/^\*+/, "")}`, `**/${pattern}`];

const maxCandidates = 200;

interface NameTable {
  /** Keys by their last segment. */
  readonly byName: ReadonlyMap<string, string>;
  /** Last segments by namespace; "" holds tools without one. */
  readonly inNamespace: ReadonlyMap<string, readonly string[]>;
}

const createNameTable = (all: readonly Registration[]): NameTable => {
  const byName = new Map<string, string>();
  const inNamespace = new Map<string, string[]>();
  for (const { key } of all) {
    const slash = key.lastIndexOf("/");
    const name = key.slice(slash + 1);
    const namespace = key.slice(0, Math.max(0, slash));
    if (!byName.has(name)) byName.set(name, key);
    const names = inNamespace.get(namespace) ?? [];
    names.push(name);
    inNamespace.set(namespace, names);
  }
  return { byName, inNamespace };
};

const suggestPattern = ({ byName, inNamespace }: NameTable, pattern: string): string | undefined => {
  const slash = pattern.lastIndexOf("/");
  const namespace = pattern.slice(0, Math.max(0, slash));
  const name = pattern.slice(slash + 1);
  // The name may be correct in another namespace.
  const elsewhere = byName.get(name);
  if (elsewhere !== undefined) return elsewhere;
  const names = inNamespace.get(namespace);
  if (names === undefined) {
    const meant = nearest(
      namespace,
      [...inNamespace.keys()].filter((each) => sharesEnds(each, namespace)),
    );
    return meant === undefined ? undefined : `${meant}/${name}`;
  }
  const star = name.indexOf("*");
  const literal = star < 0 ? name : name.slice(0, star);
  if (literal === "") return undefined;
  const candidates = new Set<string>();
  for (const each of names) {
    const compared = star < 0 ? each : each.slice(0, literal.length);
    if (Math.abs(compared.length - literal.length) > 3 || !sharesEnds(compared, literal)) continue;
    candidates.add(compared);
    if (candidates.size === maxCandidates) break;
  }
  const meant = nearest(literal, [...candidates]);
  if (meant === undefined) return undefined;
  return `${namespace === "" ? "" : `${namespace}/`}${meant}${star < 0 ? "" : name.slice(star)}`;
};

/** Cheap filter: a misspelled name usually keeps its first or last letter. */
const sharesEnds = (one: string, other: string): boolean =>
  one[0]?.toLowerCase() === other[0]?.toLowerCase() ||
  one.at(-1)?.toLowerCase() === other.at(-1)?.toLowerCase();
