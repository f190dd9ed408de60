import type { Issue } from "./json.ts";

/** What a validator made of a value: the value with its defaults, or what is wrong with it. */
export type Validation =
  | {
      readonly ok: true;
      /** JSON, with defaults filled in: what policy, keys, hashes, approvals and the ledger see. */
      readonly value: unknown;
      /** What the author's own schema made of it, where that is something else: for the code alone. */
      readonly transformed?: { readonly value: unknown };
    }
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
