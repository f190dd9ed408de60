import type { Issue } from "./json.ts";

/** Result of a validation: the value with defaults, or the issues. */
export type Validation =
  | {
      readonly ok: true;
      /** JSON with defaults filled in; used by policy, keys, hashes, approvals and the ledger. */
      readonly value: unknown;
      /** Output of the author's own schema if it differs. Passed to the code only. */
      readonly transformed?: { readonly value: unknown };
    }
  | { readonly ok: false; readonly issues: readonly Issue[] };

/** Validates a value. It may write defaults into the value, so callers must pass their own copy. */
export interface Validator {
  (value: unknown): Validation;
  /** Name of the validation engine, for provenance. */
  readonly engine: string;
  /** When the schema was compiled. Unless set: at definition. */
  readonly compiledAt?: "definition" | "hydration";
}
