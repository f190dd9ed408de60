import { ConfigurationError } from "../types/errors.ts";

/** A right covers what `allow` or `toolkits` match and `deny` does not. */
export interface Right {
  /** Tool name patterns. Unless set: none. */
  readonly allow?: readonly string[];
  /** Tool name patterns that override `allow` and `toolkits`. Unless set: none. */
  readonly deny?: readonly string[];
  /** Names of toolkits of the policy. Unless set: none. */
  readonly toolkits?: readonly string[];
}

export type Matcher = (name: string) => boolean;

export type PatternSubject = "tool" | "agent";

// A deny pattern with a character that no name has would never match.
const alphabets: Record<PatternSubject, RegExp> = {
  tool: /^[A-Za-z0-9_\-/*]+$/,
  agent: /^[^\p{Cc}\p{Cf}\\?[\]{}!]+$/u,
};

const anySegments = Symbol("any number of segments");
type Segment = Matcher | typeof anySegments;

const matchAll: Matcher = () => true;

/**
 * `*` matches within a segment, `**` any number of segments, and either alone every name. `a/**` does not
 * match `a`. Matching backtracks only to the last star.
 */
export const compilePattern = (pattern: string, subject: PatternSubject = "tool"): Matcher => {
  checkPattern(pattern, subject);
  if (pattern === "*" || pattern === "**") return matchAll;
  if (!pattern.includes("*")) return (name) => name === pattern;
  const segments: Segment[] = pattern.split("/").map(toSegment);
  if (segments.at(-1) === anySegments) segments.splice(-1, 0, matchAll);
  return (name) => matchesSegments(segments, splitName(name));
};

let lastName = "";
let lastSegments: readonly string[] = [""];

/** Many patterns test the same name in turn. */
const splitName = (name: string): readonly string[] => {
  if (name !== lastName) {
    lastSegments = name.split("/");
    lastName = name;
  }
  return lastSegments;
};

export const compilePatterns = (patterns: readonly string[], subject: PatternSubject = "tool"): Matcher => {
  // A string would be iterated by character.
  if (!Array.isArray(patterns)) throw patternError(patterns, 'patterns must be a list, such as ["get_*"]');
  const names = new Set<string>();
  const matchers: Matcher[] = [];
  for (const pattern of patterns) {
    const matcher = compilePattern(pattern, subject);
    if (matcher === matchAll) return matchAll;
    if (pattern.includes("*")) matchers.push(matcher);
    else names.add(pattern);
  }
  if (matchers.length === 0) return (name) => names.has(name);
  return (name) => names.has(name) || matchers.some((matcher) => matcher(name));
};

const checkPattern = (pattern: unknown, subject: PatternSubject): void => {
  if (typeof pattern !== "string" || pattern === "") {
    throw patternError(pattern, "it is empty or not a string; use `*` for everything");
  }
  if (!alphabets[subject].test(pattern) || pattern.trim() !== pattern) {
    throw patternError(
      pattern,
      `it contains a character that is neither valid in a ${subject} name nor a wildcard; use a list for several patterns`,
    );
  }
  for (const segment of pattern.split("/")) {
    if (segment === "")
      throw patternError(pattern, "it has an empty segment; write `ns/tool` without further slashes");
    if (segment !== "**" && segment.includes("**")) {
      throw patternError(pattern, "`**` must be a whole segment; inside a segment write `*`");
    }
  }
};

const patternError = (pattern: unknown, why: string) =>
  new ConfigurationError("invalid_config", `The pattern ${JSON.stringify(pattern)} is refused: ${why}.`);

const toSegment = (text: string): Segment => {
  if (text === "**") return anySegments;
  if (text === "*") return matchAll;
  const [first = "", ...rest] = text.split("*");
  const last = rest.pop();
  if (last === undefined) return (segment) => segment === first;
  return (segment) => {
    if (!segment.startsWith(first)) return false;
    const end = segment.length - last.length;
    let at = first.length;
    for (const part of rest) {
      const found = segment.indexOf(part, at);
      if (found < 0) return false;
      at = found + part.length;
    }
    return at <= end && segment.endsWith(last);
  };
};

const matchesSegments = (wanted: readonly Segment[], given: readonly string[]): boolean => {
  let want = 0;
  let star = -1;
  let resume = 0;
  for (let at = 0; at < given.length; ) {
    const segment = wanted[want];
    if (segment === anySegments) {
      star = want++;
      resume = at;
    } else if (segment?.(given[at] as string)) {
      want++;
      at++;
    } else if (star >= 0) {
      want = star + 1;
      at = ++resume;
    } else return false;
  }
  while (wanted[want] === anySegments) want++;
  return want === wanted.length;
};

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
