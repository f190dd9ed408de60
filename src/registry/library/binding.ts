import type { AnyTool } from "../../types/tool.ts";

/**
 * What of a spec its code must agree with: `exact` everything it says, `compatible` what calls rely on, `name`
 * nothing but the name.
 */
export type BindMode = "exact" | "compatible" | "name";

export const bindModes: readonly BindMode[] = ["exact", "compatible", "name"];

/** One place where the two sides say different things. */
export interface BindingDifference {
  /** JSON pointer: into the value where schemas are compared by what they allow, else into the schema. */
  readonly pointer: string;
  readonly spec: string;
  readonly library: string;
}

export interface BindingCheck {
  readonly check: "name" | "description" | "input" | "output";
  /** `noted` differs, which this mode lets pass; `skipped` was not looked at. */
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
  /** Every check and every difference, to be read in a terminal. */
  readonly message: string;
}

export interface BindAllResult {
  readonly ok: true;
  readonly bindings: readonly BoundTool[];
  readonly tools: readonly AnyTool[];
}

/** All or nothing: one that cannot be bound keeps the others from being bound. */
export interface BindAllFailure {
  readonly ok: false;
  readonly bindings: readonly (BoundTool | BindFailure)[];
  readonly failures: readonly BindFailure[];
  readonly message: string;
}
