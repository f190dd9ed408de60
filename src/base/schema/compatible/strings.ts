import type { PlainKeywords } from "../plain/plain-schema.ts";
import type { Fact } from "./claim.ts";
import { type IncompatibilityReason, type ProofPosition, reasonAt } from "./reason.ts";

const minTextLength = (facts: readonly Fact[]): number =>
  Math.max(0, ...facts.map(({ node }) => node.minLength ?? 0));

const maxTextLength = (facts: readonly Fact[]): number =>
  Math.min(...facts.map(({ node }) => node.maxLength ?? Number.POSITIVE_INFINITY), Number.POSITIVE_INFINITY);

export const isEmptyText = (facts: readonly Fact[]): boolean => minTextLength(facts) > maxTextLength(facts);

const matchAllPatterns: ReadonlySet<string> = new Set(["", ".*", "^", "$", "^.*", ".*$"]);

const characterCountText = (count: number): string => `${count} character${count === 1 ? "" : "s"}`;

/** Inclusion of different patterns is not decided. */
export const proveText = (
  facts: readonly Fact[],
  goal: PlainKeywords,
  at: ProofPosition,
): readonly IncompatibilityReason[] => {
  const { minLength = 0, maxLength = Number.POSITIVE_INFINITY, pattern } = goal;
  const least = minTextLength(facts);
  const longest = maxTextLength(facts);
  const reasons: IncompatibilityReason[] = [];
  if (least < minLength) {
    const may = least === 0 ? "empty" : `as short as ${characterCountText(least)}`;
    reasons.push(reasonAt(at, "minLength", may, `at least ${characterCountText(minLength)} long`));
  }
  if (longest > maxLength) {
    const may =
      longest === Number.POSITIVE_INFINITY ? "of any length" : `as long as ${characterCountText(longest)}`;
    reasons.push(reasonAt(at, "maxLength", may, `at most ${characterCountText(maxLength)} long`));
  }
  if (
    pattern !== undefined &&
    !matchAllPatterns.has(pattern) &&
    !facts.some(({ node }) => node.pattern === pattern)
  ) {
    const own = facts.flatMap(({ node }) => node.pattern ?? []);
    const may = own.length === 0 ? "any text" : `any text that matches ${own.join(" and ")}`;
    reasons.push(reasonAt(at, "pattern", may, `a text that matches ${pattern}`));
  }
  return reasons;
};
