import { nearest } from "../../base/text/nearest.ts";
import type { Registration } from "../../types/tool.ts";
import { compilePattern, type Matcher } from "../compile-pattern.ts";

/** A server whose tools are not registered yet. */
export interface PendingServer {
  readonly id: string;
  /** Its tools have no prefix, so any pattern may match them. Unless set: false. */
  readonly isBare?: boolean;
}

/** Finds tools by pattern without comparing every pattern with every name. */
export interface ToolIndex {
  /** By key in code unit order. */
  readonly all: readonly Registration[];
  readonly matching: (pattern: string) => readonly Registration[];
  /** Whether a tool of a server that is not connected yet may match. */
  readonly mayMatchLater: (pattern: string) => boolean;
  readonly hasPending: boolean;
  /** The pattern that was probably meant. */
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
  return {
    all,
    matching,
    hasPending: pending.length > 0,
    mayMatchLater: (pattern) =>
      pending.some(({ id, isBare }) => isBare === true || canMatchInside(pattern, id)),
    suggest: (pattern) => {
      names ??= createNameTable(all);
      return suggestPattern(names, pattern);
    },
  };
};

const byKey = (one: Registration, other: Registration): number => (one.key < other.key ? -1 : 1);

const isSorted = (registrations: readonly Registration[]): boolean =>
  registrations.every((each, index) => index === 0 || registrations[index - 1]!.key <= each.key);

/** Names that match begin with the text before the first star, and sorted names with one beginning are neighbors. */
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

/** Tools of a server are `id/tool`. */
const canMatchInside = (pattern: string, id: string): boolean => {
  if (pattern === "*" || pattern === "**") return true;
  const [first = "", ...rest] = pattern.split("/");
  return first === "**" || (rest.length > 0 && compilePattern(first)(id));
};

const maxCandidates = 200;

/** Names as they are compared with a misspelled one; built for the first. */
interface NameTable {
  /** Every key by its last segment. */
  readonly byName: ReadonlyMap<string, string>;
  /** Last segments of the tools in each namespace; "" has those without one. */
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

/** Compares the namespace first, then the name inside of it; stars stay where they are. */
const suggestPattern = ({ byName, inNamespace }: NameTable, pattern: string): string | undefined => {
  const slash = pattern.lastIndexOf("/");
  const namespace = pattern.slice(0, Math.max(0, slash));
  const name = pattern.slice(slash + 1);
  // The name may be right, and its namespace missing or wrong.
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

/** Cheap filter: a misspelled name nearly always keeps its first or its last letter. */
const sharesEnds = (one: string, other: string): boolean =>
  one[0]?.toLowerCase() === other[0]?.toLowerCase() ||
  one.at(-1)?.toLowerCase() === other.at(-1)?.toLowerCase();
