import type { Right, RightCircumstance, RightEffect } from "@api/rights.ts";

export const effectTexts: Readonly<Record<RightEffect, string>> = {
  allow: "may",
  approve: "asks a person",
  deny: "may not",
  unknown: "not known",
};

const conditionTexts: Readonly<Record<Exclude<RightCircumstance, "unknown">, string>> = {
  arguments: "arguments",
  "untrusted-words": "untrusted words",
  repairs: "repairs",
  spending: "what was spent",
};

/** `depending on arguments`; empty if it holds for every call. */
export const rightConditionsText = ({ depends }: Pick<Right, "depends">): string => {
  if (depends.includes("unknown")) return "perhaps not always";
  const words = depends.flatMap((each) => (each === "unknown" ? [] : [conditionTexts[each]]));
  return words.length === 0 ? "" : `depending on ${words.join(" and ")}`;
};

/** `may, depending on arguments`. */
export const rightText = (right: Pick<Right, "effect" | "depends">): string =>
  [effectTexts[right.effect], rightConditionsText(right)].filter(Boolean).join(", ");
