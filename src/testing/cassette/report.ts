/** A call that the tape has no answer for. */
export interface Miss {
  readonly tool: string;
  readonly callId: string;
  /** Masked. */
  readonly arguments: unknown;
  readonly why: string;
  /** The entry most like it. */
  readonly nearest?: { readonly entry: Place; readonly diff: string };
}

/** An entry of the tape: its pointer and line in the file. */
export interface Place {
  readonly tool: string;
  readonly pointer: string;
  readonly line: number;
}

/** The tool promises something else than when it was recorded. */
export interface Drift {
  readonly tool: string;
  readonly recorded: string;
  readonly now: string;
}

/** What a cassette answered, missed and left over. */
export interface CassetteReport {
  readonly path: string;
  readonly mode: "record" | "replay";
  /** How many calls are on the tape. */
  readonly entries: number;
  /** How many calls were answered from it. */
  readonly answered: number;
  readonly missed: readonly Miss[];
  readonly unused: readonly Place[];
  readonly drifted: readonly Drift[];
}
