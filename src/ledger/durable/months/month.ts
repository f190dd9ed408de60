/** Counted from year 0 in UTC. */
export const monthOf = (at: number): number => {
  const date = new Date(at);
  return date.getUTCFullYear() * 12 + date.getUTCMonth();
};

export const monthName = (month: number): string =>
  `${Math.floor(month / 12)}_${String((month % 12) + 1).padStart(2, "0")}`;

export const startOfMonth = (month: number): number => Date.UTC(Math.floor(month / 12), month % 12);

export interface WritableMonths {
  readonly from: number;
  readonly to: number;
  readonly readAt: number;
}

/** Where tables are not partitioned. */
export const noMonth = 0;

/** Limited to existing months, so that clock errors do no harm. */
export const writableMonth = (now: number, { from, to }: WritableMonths): number =>
  Math.max(from, Math.min(to, monthOf(now)));
