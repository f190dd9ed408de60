import type { AnyTool } from "../../types/tool.ts";

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
