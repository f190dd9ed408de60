/** Milliseconds. */
export const timeSpanMs = { hour: 3_600_000, day: 86_400_000, week: 604_800_000, month: 2_592_000_000 };
