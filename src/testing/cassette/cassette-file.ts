import { ToolError } from "../../types/errors.ts";
import type { Failure } from "../../types/failure.ts";
import type { ContentPart } from "../../types/message.ts";
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

/** The calls differ from the cassette. */
export class CassetteError extends ToolError {
  override readonly _tag = "CassetteError";

  constructor(message: string) {
    super("failed", message, { retryable: false });
    this.name = "CassetteError";
  }
}

/** A call without an entry that answers it. */
export interface Miss {
  readonly tool: string;
  readonly callId: string;
  /** Masked. */
  readonly arguments: unknown;
  readonly why: string;
  /** The most similar entry. */
  readonly nearest?: { readonly entry: Place; readonly diff: string };
}

/** An entry, with its pointer and line in the file. */
export interface Place {
  readonly tool: string;
  readonly pointer: string;
  readonly line: number;
}

/** A tool whose definition has changed since the recording. */
export interface Drift {
  readonly tool: string;
  readonly recorded: string;
  readonly now: string;
}

/** What a cassette answered, what it missed and what was unused. */
export interface CassetteReport {
  readonly path: string;
  readonly mode: "record" | "replay";
  /** Number of calls in the cassette. */
  readonly entries: number;
  /** Number of calls that it answered. */
  readonly answered: number;
  readonly missed: readonly Miss[];
  readonly unused: readonly Place[];
  readonly drifted: readonly Drift[];
}
