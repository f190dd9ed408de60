/** Months are counted from year 0 by UTC, so that the next one is one more. */
export const monthOf = (at: number): number => {
  const date = new Date(at);
  return date.getUTCFullYear() * 12 + date.getUTCMonth();
};

/** As the names of tables spell a month: `2026_11`. */
export const monthName = (month: number): string =>
  `${Math.floor(month / 12)}_${String((month % 12) + 1).padStart(2, "0")}`;

/** The moment at which a month begins. */
export const startOfMonth = (month: number): number => Date.UTC(Math.floor(month / 12), month % 12);

/** The months that new rows may be put to: those that have a table and were not closed for pruning. */
export interface WritableMonths {
  readonly from: number;
  readonly to: number;
  /** When this was found out. */
  readonly readAt: number;
}

/** Where there are no months everything is in the one of this number. */
export const noMonth = 0;

/**
 * The month of a row that is written now. A clock that is wrong, and a month for which nobody made a table yet, make
 * it one that there is: months only say where rows are kept, and a chain's never fall.
 */
export const writableMonth = (now: number, { from, to }: WritableMonths): number =>
  Math.max(from, Math.min(to, monthOf(now)));
