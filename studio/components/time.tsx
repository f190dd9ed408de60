import { useSyncExternalStore } from "react";

let now = Date.now();
const clockListeners = new Set<() => void>();
let clockTimer: ReturnType<typeof setInterval> | undefined;

const subscribeToClock = (watcher: () => void): (() => void) => {
  clockListeners.add(watcher);
  clockTimer ??= setInterval(() => {
    now = Date.now();
    for (const each of clockListeners) each();
  }, 5_000);
  return () => {
    clockListeners.delete(watcher);
    if (clockListeners.size > 0) return;
    clearInterval(clockTimer);
    clockTimer = undefined;
  };
};

const countFormat = new Intl.NumberFormat("en-US");
const compactFormat = new Intl.NumberFormat("en-US", { notation: "compact", maximumFractionDigits: 1 });

const significantFormat = new Intl.NumberFormat("en-US", { maximumSignificantDigits: 3 });

export const formatCount = (count: number): string => countFormat.format(count);

export const formatEstimate = ({
  count,
  isEstimate,
}: {
  readonly count: number;
  readonly isEstimate: boolean;
}) => `${isEstimate ? "~" : ""}${count < 100_000 ? countFormat.format(count) : compactFormat.format(count)}`;

export const formatDuration = (ms: number | undefined): string => {
  if (ms === undefined) return "–";
  if (ms < 0.01) return "0 ms";
  if (ms < 999.5) return `${significantFormat.format(ms)} ms`;
  if (ms < 59_950) return `${significantFormat.format(ms / 1_000)} s`;
  const seconds = Math.round(ms / 1_000);
  if (seconds < 3_600) return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
  const minutes = Math.round(ms / 60_000);
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
};

export const formatCost = (cost: number | undefined): string =>
  cost === undefined ? "–" : cost === 0 ? "0" : cost.toFixed(cost < 1 ? 4 : 2);

export const formatShare = (part: number, whole: number): string =>
  whole === 0 ? "–" : `${((100 * part) / whole).toFixed(part / whole < 0.1 ? 1 : 0)} %`;

const localFormat = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "medium" });
export const formatLocal = (at: number): string => localFormat.format(at);
export const formatExact = (at: number): string => `${formatLocal(at)} (${new Date(at).toISOString()})`;

export const formatNumberOf = (count: number, one: string, several = `${one}s`): string =>
  `${formatCount(count)} ${count === 1 ? one : several}`;

const clockFormat = new Intl.DateTimeFormat("en-GB", {
  hour: "2-digit",
  minute: "2-digit",
  second: "2-digit",
});
export const formatClock = (at: number): string =>
  `${clockFormat.format(at)}.${String(at % 1_000)
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

export const Time = ({ at }: { readonly at: number }) => {
  const current = useSyncExternalStore(subscribeToClock, () => now);
  return (
    <time dateTime={new Date(at).toISOString()} title={formatExact(at)} className="whitespace-nowrap">
      {formatAgo(at, at > current ? Date.now() : current)}
    </time>
  );
};
