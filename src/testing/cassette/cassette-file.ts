import type { ContentPart } from "../../types/content.ts";
import type { Failure } from "../../types/failure.ts";
import type { Flow } from "../../types/outcome.ts";

/** Increased when an older version could no longer read the file. */
export const cassetteVersion = 1;

/** The result of a call as JSON. A missing value was `undefined`. */
export type RecordedOutcome = (
  | {
      readonly kind: "value";
      readonly value?: unknown;
      readonly flow: Flow;
      /** Media of the result. */
      readonly parts?: readonly ContentPart[];
    }
  | { readonly kind: "failure"; readonly failure: Omit<Failure, "cause" | "approval"> }
) & {
  /**
   * Tools whose untrusted content is in the result. Missing if there are none, and in cassettes of older
   * versions.
   */
  readonly taints?: readonly string[];
};

/** One call and its result, without secrets. */
export interface CassetteEntry {
  /** Full name of the tool. */
  readonly tool: string;
  /** The arguments of the tool with sorted keys; ignored ones are `[ignored]`. */
  readonly arguments: unknown;
  /** Hash of the canonical arguments before masking, without ignored ones. */
  readonly argumentsHash: string;
  /** Hash of the tool's spec. */
  readonly definition: string;
  /** Concurrent calls have the same number, and their order is not compared. */
  readonly group: number;
  readonly outcome: RecordedOutcome;
  readonly durationMs: number;
}

export interface CassetteFile {
  readonly ignore: readonly string[];
  readonly entries: readonly CassetteEntry[];
}

/** Results of tools may be far larger than arguments of models. */
export const cassetteJsonLimits = { maxLength: 256 * 1_048_576, maxDepth: 300 };
