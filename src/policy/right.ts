import { compilePatterns, type Matcher } from "./compile-pattern.ts";

/** What may be used: the union of `allow` and `toolkits`, less `deny`. Patterns as in a principal. */
export interface Right {
  /** Tool name patterns. Unless set: none. */
  readonly allow?: readonly string[];
  /** Tool name patterns that win over `allow` and `toolkits`. Unless set: none. */
  readonly deny?: readonly string[];
  /** Names of toolkits of the policy. Unless set: none. */
  readonly toolkits?: readonly string[];
}

export interface CompiledRight {
  /** Whose it is, for operators. */
  readonly who: string;
  readonly allows: Matcher;
  readonly denies: Matcher;
  /** Toolkits the policy does not have; they allow nothing. */
  readonly missing: readonly string[];
}

export type Toolkits = ReadonlyMap<string, Matcher>;

/** Throws on a pattern that cannot be read: a list must not be read as a shorter one. */
export const compileRight = (who: string, right: Right, toolkits: Toolkits): CompiledRight => {
  const own = compilePatterns(right.allow ?? []);
  const kits = (right.toolkits ?? []).flatMap((name) => toolkits.get(name) ?? []);
  return {
    who,
    allows: kits.length === 0 ? own : (name) => own(name) || kits.some((kit) => kit(name)),
    denies: compilePatterns(right.deny ?? []),
    missing: (right.toolkits ?? []).filter((name) => !toolkits.has(name)),
  };
};

/** Why the tool is out of this right, if it is. What is free needs no grant, but a denial counts. */
export const explainRefusal = (right: CompiledRight, key: string, isExempt: boolean): string | undefined => {
  if (right.denies(key)) return `the deny list of ${right.who} covers ${key}`;
  if (isExempt || right.allows(key)) return undefined;
  const { who, missing } = right;
  const unknownText = missing.length === 0 ? "" : `; there is no toolkit ${missing.join(", ")}`;
  return `neither the allow list nor a toolkit of ${who} covers ${key}${unknownText}`;
};
