import { displayWidth, padToWidth } from "../../base/text/display-width.ts";
import type { ToolClass } from "../../tools/class-implementation.ts";
import { toTool } from "../../tools/decorator.ts";
import { type RunFunction, runImplementation } from "../../tools/tool-definition.ts";
import { ConfigurationError } from "../../types/errors.ts";
import {
  type Annotations,
  type AnyTool,
  type Implementation,
  type Risk,
  risks,
  type ToolSpec,
} from "../../types/tool.ts";

/** An entry of a library: a tool, a class made with @Tool, an implementation or a function. */
export type LibraryEntry = AnyTool | ToolClass | Implementation | RunFunction;

/** Only a tool declares its input and output. */
export type LibraryCode = AnyTool | Implementation;

export const isTool = (value: unknown): value is AnyTool =>
  typeof value === "object" && value !== null && "spec" in value && "implementation" in value;

const isImplementation = (value: unknown): value is Implementation =>
  typeof value === "object" &&
  value !== null &&
  typeof (value as { readonly bind?: unknown }).bind === "function";

export const toLibraryCode = (name: string, entry: unknown): LibraryCode => {
  const made = toTool(entry);
  if (made !== undefined) return made;
  if (typeof entry === "function") return runImplementation(entry as RunFunction);
  if (isTool(entry) || isImplementation(entry)) return entry;
  throw new ConfigurationError(
    "invalid_config",
    `The library's "${name}" is neither a tool, an implementation nor a function.`,
  );
};

/**
 * What code must agree with in a spec: `exact` everything, `compatible` what calls rely on, `name` only the
 * name.
 */
export type BindMode = "exact" | "compatible" | "name";

export const bindModes: readonly BindMode[] = ["exact", "compatible", "name"];

export interface BindingDifference {
  /** A JSON pointer into the value for compatibility checks, else into the schema. */
  readonly pointer: string;
  readonly spec: string;
  readonly library: string;
}

export interface BindingCheck {
  readonly check: "name" | "description" | "input" | "output";
  /** `noted`: differs, but the mode permits it. `skipped`: not checked. */
  readonly status: "passed" | "failed" | "noted" | "skipped";
  readonly differences: readonly BindingDifference[];
}

export interface BindingExplanation {
  readonly name: string;
  readonly mode: BindMode;
  readonly ok: boolean;
  readonly checks: readonly BindingCheck[];
}

/** A spec with the code that it was bound to. */
export interface BoundTool {
  readonly ok: true;
  readonly name: string;
  readonly tool: AnyTool;
  readonly explanation: BindingExplanation;
}

/** Why a spec was not bound to the code of a library. */
export interface BindFailure {
  readonly ok: false;
  readonly name: string;
  readonly explanation: BindingExplanation;
  /** All checks and differences, as text for a terminal. */
  readonly message: string;
}

export interface BindAllResult {
  readonly ok: true;
  readonly bindings: readonly BoundTool[];
  readonly tools: readonly AnyTool[];
}

export interface BindAllFailure {
  readonly ok: false;
  readonly bindings: readonly (BoundTool | BindFailure)[];
  readonly failures: readonly BindFailure[];
  readonly message: string;
}

const statusMarks: Readonly<Record<BindingCheck["status"], string>> = {
  passed: "ok     ",
  failed: "FAILED ",
  noted: "differs",
  skipped: "-      ",
};

/** Formats one line per check, followed by one line per difference. */
export const bindingText = ({ name, mode, ok, checks }: BindingExplanation): string =>
  [
    `${name}: ${ok ? "bound" : "not bound"} (${mode})`,
    ...checks.flatMap((check) => [
      `  ${statusMarks[check.status]} ${check.check}`,
      ...differenceLines(check),
    ]),
  ].join("\n");

const differenceLines = ({ differences }: BindingCheck): readonly string[] => {
  const width = Math.max(0, ...differences.map(({ pointer }) => displayWidth(pointer)));
  return differences.map(
    ({ pointer, spec, library }) =>
      `          ${`${padToWidth(pointer, width)} `.trimStart()}spec: ${spec} | library: ${library}`,
  );
};

export const bindingsText = (bindings: readonly (BoundTool | BindFailure)[]): string => {
  const failed = bindings.filter(({ ok }) => !ok).length;
  const head = `${failed} of ${bindings.length} tool${bindings.length === 1 ? "" : "s"} cannot be bound.`;
  const lines = bindings.map((each) => (each.ok ? `${each.name}: bound` : bindingText(each.explanation)));
  return [head, ...lines].join("\n");
};

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
