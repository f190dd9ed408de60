import type { Permission, PermissionEffect, PermissionFactor } from "@api/permissions.ts";

export const effectTexts: Readonly<Record<PermissionEffect, string>> = {
  allow: "may",
  approve: "asks a person",
  deny: "may not",
  unknown: "not known",
};

const conditionTexts: Readonly<Record<Exclude<PermissionFactor, "unknown">, string>> = {
  arguments: "arguments",
  "untrusted-content": "untrusted words",
  repairs: "repairs",
  spending: "what was spent",
};

/** `depending on arguments`; empty if it holds for every call. */
export const permissionFactorsText = ({ dependsOn }: Pick<Permission, "dependsOn">): string => {
  if (dependsOn.includes("unknown")) return "perhaps not always";
  const words = dependsOn.flatMap((each) => (each === "unknown" ? [] : [conditionTexts[each]]));
  return words.length === 0 ? "" : `depending on ${words.join(" and ")}`;
};

/** `may, depending on arguments`. */
export const permissionText = (right: Pick<Permission, "effect" | "dependsOn">): string =>
  [effectTexts[right.effect], permissionFactorsText(right)].filter(Boolean).join(", ");
