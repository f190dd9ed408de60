export interface Check {
  readonly name: string;
  /** `missing`: not installed. `broken`: installed, but does not work. */
  readonly status: "works" | "missing" | "broken";
  /** Server ids, "haft", or "you" if the command line names the check. */
  readonly neededBy: readonly string[];
  readonly version?: string;
  readonly about: string;
  readonly startMs?: number;
  readonly problem?: string;
}

export const isFailed = ({ status, neededBy }: Check): boolean => status !== "works" && neededBy.length > 0;
