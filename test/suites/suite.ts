/** The result of a suite. Cases that are neither right nor wrong were refused. */
export interface Score {
  readonly right: number;
  readonly wrong: number;
  readonly total: number;
  /** The first note is about the whole; the others name what went wrong. */
  readonly notes?: readonly string[];
}

/** External test material, and the score of the project on it. A file exports these by name. */
export interface Suite {
  readonly name: string;
  /** The minimum share of right answers, from 0 to 1. Raised with the score, never lowered to fit one. */
  readonly floor: number;
  /** The number of wrong answers that are tolerated. Without it only the floor counts. */
  readonly mostWrong?: number;
  readonly run: (dataDir: string) => Promise<Score>;
}
