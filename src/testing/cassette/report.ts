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
