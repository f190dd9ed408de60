/** One thing that was tried on this machine. */
export interface Check {
  readonly name: string;
  /** `missing` can be installed; `broken` is there and does not do what it should. */
  readonly status: "works" | "missing" | "broken";
  /** Who needs it: a server, the runtime, or you, who named it. Empty where nobody does. */
  readonly neededBy: readonly string[];
  readonly version?: string;
  /** What it is good for, or what it did. */
  readonly about: string;
  /** From nothing to the value of a small program. */
  readonly startMs?: number;
  /** What is wrong, and what to do about it. */
  readonly problem?: string;
}

export const isFailed = ({ status, neededBy }: Check): boolean => status !== "works" && neededBy.length > 0;
