import { useSyncExternalStore } from "react";
import { formatAgo, formatExact } from "./format.ts";

let now = Date.now();
const watchers = new Set<() => void>();
let ticking: ReturnType<typeof setInterval> | undefined;

/** One clock for all times of the page. */
const watchClock = (watcher: () => void): (() => void) => {
  watchers.add(watcher);
  ticking ??= setInterval(() => {
    now = Date.now();
    for (const each of watchers) each();
  }, 5_000);
  return () => {
    watchers.delete(watcher);
    if (watchers.size > 0) return;
    clearInterval(ticking);
    ticking = undefined;
  };
};

/** How long ago, with the exact time behind it. */
export const Time = ({ at }: { readonly at: number }) => {
  const current = useSyncExternalStore(watchClock, () => now);
  return (
    <time dateTime={new Date(at).toISOString()} title={formatExact(at)} className="whitespace-nowrap">
      {formatAgo(at, at > current ? Date.now() : current)}
    </time>
  );
};
