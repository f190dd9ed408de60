import { type Annotations, type Risk, risks, type ToolSpec } from "../../types/spec.ts";

/**
 * A spec as policy must see it: what the spec says or what the code says of itself, whichever is stricter. Else
 * a file that describes an agent could take the guard off the code it is bound to.
 */
export const stricterSpec = ({ maxCost, meta: _, ...spec }: ToolSpec, own: ToolSpec): ToolSpec => {
  const timeouts = [spec.timeoutMs, own.timeoutMs].filter((each) => each !== undefined);
  return Object.freeze({
    ...spec,
    risk: higherRisk(spec.risk, own.risk),
    requiresApproval: spec.requiresApproval || own.requiresApproval,
    tags: Object.freeze([...new Set([...warningTags(spec.tags), ...own.tags])]),
    annotations: stricterAnnotations(spec.annotations, own.annotations),
    // Rules may rely on it, so it is the code's own word, as tags are.
    ...(own.meta === undefined ? {} : { meta: own.meta }),
    validate: spec.validate === "lenient" && own.validate === "lenient" ? "lenient" : "strict",
    // Where code comes from is nothing that a description can know.
    source: own.source,
    ...(timeouts.length === 0 ? {} : { timeoutMs: Math.min(...timeouts) }),
    // Only code knows what it costs; a description may fear more, and not promise less.
    ...(own.maxCost === undefined ? {} : { maxCost: Math.max(own.maxCost, maxCost ?? 0) }),
  });
};

/** Tags of a description that take something away. The others would be its own word for what rules rely on. */
export const warningTags = (tags: readonly string[]): readonly string[] =>
  tags.filter((tag) => tag === "untrusted" || tag === "sink");

const higherRisk = (one: Risk, other: Risk): Risk =>
  risks[Math.max(risks.indexOf(one), risks.indexOf(other))] ?? one;

/** Only code knows that it is harmless; a spec may doubt that, and not claim it. A warning of either side counts. */
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
