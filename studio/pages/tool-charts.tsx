import type { ToolDetail } from "@api/tools.ts";
import { useMemo } from "react";
import { Chart } from "../components/chart.tsx";
import { formatCount, formatDuration } from "../components/format.ts";
import { Section } from "../components/page.tsx";

const bucketCount = 24;

export const DurationChart = ({ recent }: { readonly recent: ToolDetail["recent"] }) => {
  const durations = useMemo(() => toDurations(recent), [recent]);
  if (recent.length < 2) return null;
  return (
    <div className="mt-3">
      <Chart label="Newest calls" {...durations} format={formatDuration} height={130} />
    </div>
  );
};

export const FailureChart = ({ recent }: { readonly recent: ToolDetail["recent"] }) => {
  const failures = useMemo(() => toFailures(recent), [recent]);
  if (recent.length < 2) return null;
  return (
    <Section title="Failures over time">
      <Chart label="Calls" {...failures} format={formatCount} height={120} isWhole />
    </Section>
  );
};

const toDurations = (recent: ToolDetail["recent"]) => {
  const of = (isFailed: boolean) =>
    recent.map(({ durationMs, ending }) => ((ending === "failed") === isFailed ? durationMs : undefined));
  return {
    times: recent.map(({ at }) => at),
    series: [
      { name: "done", color: "accent", kind: "points", values: of(false) },
      { name: "failed", color: "bad", kind: "points", values: of(true) },
    ],
  } as const;
};

/** Per equal interval between the first and the last call. */
const toFailures = (recent: ToolDetail["recent"]) => {
  const first = recent[0]?.at ?? 0;
  const step = Math.max(1, ((recent.at(-1)?.at ?? 0) - first) / bucketCount);
  const all = Array.from({ length: bucketCount + 1 }, () => 0);
  const failed = [...all];
  for (const { at, ending } of recent) {
    const part = Math.floor((at - first) / step);
    all[part]! += 1;
    if (ending === "failed") failed[part]! += 1;
  }
  return {
    times: all.map((_, part) => first + part * step),
    series: [
      { name: "all", color: "accent", kind: "bars", values: all },
      { name: "failed", color: "bad", kind: "bars", values: failed },
    ],
  } as const;
};
