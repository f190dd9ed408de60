/** What came of a suite. What is neither right nor wrong was refused. */
export interface Score {
  readonly right: number;
  readonly wrong: number;
  readonly total: number;
  /** The first is about the whole; the others name what went wrong. */
  readonly notes?: readonly string[];
}

/** Material nobody in this project wrote, and how well the project does on it. A file exports these by name. */
export interface Suite {
  readonly name: string;
  /** The least share of right answers, from 0 to 1. Raised with the score, never lowered to fit one. */
  readonly floor: number;
  /** Wrong answers that are tolerated; without it only the floor counts. */
  readonly mostWrong?: number;
  readonly run: (dataDir: string) => Promise<Score>;
}
