import type { ContentPart } from "../../types/content.ts";
import type { Failure } from "../../types/failure.ts";
import type { Flow } from "../../types/outcome.ts";

/** Raised when an older version could no longer make sense of what is written. */
export const cassetteVersion = 1;

/** What came of a call, as JSON. A value that is missing was `undefined`. */
export type RecordedOutcome = (
  | {
      readonly kind: "value";
      readonly value?: unknown;
      readonly flow: Flow;
      /** Pictures, sounds and files of the result. */
      readonly parts?: readonly ContentPart[];
    }
  | { readonly kind: "failure"; readonly failure: Omit<Failure, "cause" | "approval"> }
) & {
  /** Tools whose untrusted words are in it. Missing where there are none, and on tapes of an older haft. */
  readonly taints?: readonly string[];
};

/** One call and its answer, without their secrets. */
export interface CassetteEntry {
  /** Full name of the tool. */
  readonly tool: string;
  /** As the tool got them, keys sorted; what is ignored reads `[ignored]`. */
  readonly arguments: unknown;
  /** Of the canonical arguments before anything was masked, without what is ignored. */
  readonly argumentsHash: string;
  /** Hash of the tool's spec. */
  readonly definition: string;
  /** Calls of one number were under way together, so their order means nothing. */
  readonly group: number;
  readonly outcome: RecordedOutcome;
  readonly durationMs: number;
}

export interface CassetteFile {
  /** Pointers into the arguments that do not count. */
  readonly ignore: readonly string[];
  readonly entries: readonly CassetteEntry[];
}

/** A cassette works with whatever a tool may answer, which may be far larger than what a model may send. */
export const cassetteJsonLimits = { maxLength: 256 * 1_048_576, maxDepth: 300 };
