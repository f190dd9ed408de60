import { compilePatterns, type Matcher } from "./compile-pattern.ts";

/** A right covers what `allow` or `toolkits` match and `deny` does not. */
export interface Right {
  /** Tool name patterns. Unless set: none. */
  readonly allow?: readonly string[];
  /** Tool name patterns that override `allow` and `toolkits`. Unless set: none. */
  readonly deny?: readonly string[];
  /** Names of toolkits of the policy. Unless set: none. */
  readonly toolkits?: readonly string[];
}

export interface CompiledRight {
  readonly who: string;
  readonly allows: Matcher;
  readonly denies: Matcher;
  /** They allow nothing. */
  readonly missing: readonly string[];
}

export type Toolkits = ReadonlyMap<string, Matcher>;

/** Throws on an invalid pattern, so that none is silently skipped. */
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

/** Undefined if the right covers the tool. `deny` applies to exempt tools too. */
export const explainRefusal = (right: CompiledRight, key: string, isExempt: boolean): string | undefined => {
  if (right.denies(key)) return `the deny list of ${right.who} covers ${key}`;
  if (isExempt || right.allows(key)) return undefined;
  const { who, missing } = right;
  const unknownText = missing.length === 0 ? "" : `; the toolkit ${missing.join(", ")} does not exist`;
  return `neither the allow list nor a toolkit of ${who} covers ${key}${unknownText}`;
};
