const counts = new Intl.NumberFormat("en-US");
const few = new Intl.NumberFormat("en-US", { notation: "compact", maximumFractionDigits: 1 });

export const formatCount = (count: number): string => counts.format(count);

/** With a `~` where nobody counted exactly. */
export const formatEstimate = ({
  count,
  isEstimate,
}: {
  readonly count: number;
  readonly isEstimate: boolean;
}) => `${isEstimate ? "~" : ""}${count < 100_000 ? counts.format(count) : few.format(count)}`;

export const formatDuration = (ms: number | undefined): string => {
  if (ms === undefined) return "–";
  if (ms === 0) return "0 ms";
  if (ms < 1) return "<1 ms";
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1_000).toFixed(ms < 10_000 ? 2 : 1)} s`;
  if (ms < 3_600_000) return `${Math.floor(ms / 60_000)} min ${Math.round((ms % 60_000) / 1_000)} s`;
  return `${Math.floor(ms / 3_600_000)} h ${Math.round((ms % 3_600_000) / 60_000)} min`;
};

export const formatCost = (cost: number | undefined): string =>
  cost === undefined ? "–" : cost === 0 ? "0" : cost.toFixed(cost < 1 ? 4 : 2);

export const formatShare = (part: number, whole: number): string =>
  whole === 0 ? "–" : `${((100 * part) / whole).toFixed(part / whole < 0.1 ? 1 : 0)} %`;

const exact = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "medium" });
export const formatExact = (at: number): string => `${exact.format(at)} (${new Date(at).toISOString()})`;

const clock = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit", second: "2-digit" });
export const formatClock = (at: number): string =>
  `${clock.format(at)}.${String(at % 1_000)
    .padStart(3, "0")
    .slice(0, 3)}`;

export const formatAgo = (at: number, now: number): string => {
  const ms = now - at;
  const of = ms < 0 ? (words: string) => `in ${words}` : (words: string) => `${words} ago`;
  const size = Math.abs(ms);
  if (size < 5_000) return "now";
  if (size < 60_000) return of(`${Math.round(size / 1_000)} s`);
  if (size < 3_600_000) return of(`${Math.round(size / 60_000)} min`);
  if (size < 86_400_000) return of(`${Math.round(size / 3_600_000)} h`);
  return of(`${Math.round(size / 86_400_000)} d`);
};
