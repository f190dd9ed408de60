import { useSyncExternalStore } from "react";
import { formatAgo, formatExact } from "./format.ts";

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

export const Time = ({ at }: { readonly at: number }) => {
  const current = useSyncExternalStore(subscribeToClock, () => now);
  return (
    <time dateTime={new Date(at).toISOString()} title={formatExact(at)} className="whitespace-nowrap">
      {formatAgo(at, at > current ? Date.now() : current)}
    </time>
  );
};
