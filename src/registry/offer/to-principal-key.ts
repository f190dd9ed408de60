import type { Principal } from "../../types/principal.ts";

const principalFields: readonly (keyof Principal)[] = [
  "agent",
  "session",
  "user",
  "tenant",
  "allow",
  "deny",
  "toolkits",
  "roles",
];
const knownFields: ReadonlySet<string> = new Set(principalFields);

export const toPrincipalKey = (principal: Principal): string | undefined =>
  Object.keys(principal).every((key) => knownFields.has(key))
    ? JSON.stringify(principalFields.map((field) => principal[field] ?? null))
    : undefined;

/** An immutable principal is cached by identity. */
export const isImmutable = (principal: Principal): boolean =>
  Object.isFrozen(principal) &&
  Object.values(principal).every((value) => typeof value !== "object" || Object.isFrozen(value));
