import type { Issue } from "./json.ts";

export type Validation =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly issues: readonly Issue[] };

/**
 * Holds a value against a schema. May fill defaults into the value it is given, so callers hand it
 * a value of their own.
 */
export interface Validator {
  (value: unknown): Validation;
  /** Which engine judges, for provenance. */
  readonly engine: string;
  /** When it was made ready; at definition unless it says otherwise. */
  readonly compiledAt?: "definition" | "hydration";
}
