import { type Annotations, type Risk, risks, type ToolSpec } from "../../types/spec.ts";

/** The stricter value wins. Otherwise a file that describes an agent could remove guards of the code. */
export const stricterSpec = ({ maxCost, meta: _, ...spec }: ToolSpec, own: ToolSpec): ToolSpec => {
  const timeouts = [spec.timeoutMs, own.timeoutMs].filter((each) => each !== undefined);
  return Object.freeze({
    ...spec,
    risk: higherRisk(spec.risk, own.risk),
    requiresApproval: spec.requiresApproval || own.requiresApproval,
    tags: Object.freeze([...new Set([...warningTags(spec.tags), ...own.tags])]),
    annotations: stricterAnnotations(spec.annotations, own.annotations),
    // Rules may rely on `meta`, so only the value of the code counts.
    ...(own.meta === undefined ? {} : { meta: own.meta }),
    validate: spec.validate === "lenient" && own.validate === "lenient" ? "lenient" : "strict",
    source: own.source,
    ...(timeouts.length === 0 ? {} : { timeoutMs: Math.min(...timeouts) }),
    // Only code knows its cost; a spec can raise it.
    ...(own.maxCost === undefined ? {} : { maxCost: Math.max(own.maxCost, maxCost ?? 0) }),
  });
};

/** Keeps tags that restrict a tool. Rules may rely on the others, so only code may set those. */
export const warningTags = (tags: readonly string[]): readonly string[] =>
  tags.filter((tag) => tag === "untrusted" || tag === "sink");

const higherRisk = (one: Risk, other: Risk): Risk =>
  risks[Math.max(risks.indexOf(one), risks.indexOf(other))] ?? one;

/** A spec can deny `readOnly` and `idempotent`, but only code can claim them. */
const stricterAnnotations = (one: Annotations, other: Annotations): Annotations => {
  const both = (key: "readOnly" | "idempotent"): object =>
    one[key] === undefined && other[key] === undefined
      ? {}
      : { [key]: other[key] === true && one[key] !== false };
  const either = (key: "destructive" | "openWorld"): object =>
    one[key] === undefined && other[key] === undefined
      ? {}
      : { [key]: (one[key] ?? false) || (other[key] ?? false) };
  return Object.freeze({
    ...other,
    ...one,
    ...both("readOnly"),
    ...both("idempotent"),
    ...either("destructive"),
    ...either("openWorld"),
  });
};
