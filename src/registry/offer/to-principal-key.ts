import type { Principal } from "../../words/principal.ts";

const fields: readonly (keyof Principal)[] = [
  "agent",
  "session",
  "user",
  "tenant",
  "allow",
  "deny",
  "toolkits",
  "roles",
];
const known: ReadonlySet<string> = new Set(fields);

/** Equal for principals that say the same; missing for one that says more than is known here. */
export const toPrincipalKey = (principal: Principal): string | undefined =>
  Object.keys(principal).every((key) => known.has(key))
    ? JSON.stringify(fields.map((field) => principal[field] ?? null))
    : undefined;

/** A principal that cannot change is known by its identity alone. */
export const isSettled = (principal: Principal): boolean =>
  Object.isFrozen(principal) &&
  Object.values(principal).every((value) => typeof value !== "object" || Object.isFrozen(value));
