import type { Permission, PermissionEffect, PermissionFactor } from "@api/permissions.ts";

export const effectTexts: Readonly<Record<PermissionEffect, string>> = {
  allow: "allowed",
  approve: "needs approval",
  deny: "denied",
  unknown: "unknown",
};

/** Verb phrases, for "clerk may call refund". */
export const effectVerbs: Readonly<Record<PermissionEffect, string>> = {
  allow: "may call",
  approve: "needs approval to call",
  deny: "may not call",
  unknown: "may or may not call",
};

const factorTexts: Readonly<Record<Exclude<PermissionFactor, "unknown">, string>> = {
  arguments: "arguments",
  "untrusted-content": "untrusted content",
  repairs: "repairs",
  spending: "spending",
};

/** Empty if the permission is the same for every call. */
export const permissionFactorsText = ({ dependsOn }: Pick<Permission, "dependsOn">): string => {
  if (dependsOn.includes("unknown")) return "may depend on the call";
  const factors = dependsOn.flatMap((each) => (each === "unknown" ? [] : [factorTexts[each]]));
  return factors.length === 0 ? "" : `depends on ${factors.join(" and ")}`;
};

/** Such as `allowed, depends on arguments`. */
export const permissionText = (permission: Pick<Permission, "effect" | "dependsOn">): string =>
  [effectTexts[permission.effect], permissionFactorsText(permission)].filter(Boolean).join(", ");
