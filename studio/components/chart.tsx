import { CatchBoundary } from "@tanstack/react-router";
import { lazy, type ReactNode, Suspense, useState } from "react";
import { markUnseen } from "./invisible-characters.ts";
import { formatLocal } from "./time.tsx";

export interface ChartSeries {
  readonly name: string;
  readonly color: "accent" | "bad" | "good" | "wait" | "soft";
  readonly values: readonly (number | undefined)[];
  readonly kind?: "bars" | "line" | "points";
}

export interface ChartProps {
  readonly label: string;
  readonly times: readonly number[];
  readonly series: readonly ChartSeries[];
  readonly format: (value: number) => string;
  readonly height?: number;
  readonly isWhole?: boolean;
}

const LazyChartCanvas = lazy(async () => ({ default: (await import("./chart-canvas.tsx")).ChartCanvas }));

export const Chart = (props: ChartProps) => {
  const [isTable, setTable] = useState(false);
  const { label, series, height = 160 } = props;
  return (
    <figure className="min-w-0">
      <figcaption className="mb-1 flex flex-wrap items-center gap-x-3 text-xs text-soft">
        <span className="font-medium text-ink">{markUnseen(label)}</span>
        {series.map(({ name, color }) => (
          <span key={name} className="flex items-center gap-1">
            <span aria-hidden className={`inline-block size-2 rounded-full ${dotClasses[color]}`} />
            {markUnseen(name)}
          </span>
        ))}
        <button
          type="button"
          className="link-button ml-auto"
          aria-pressed={isTable}
          onClick={() => setTable(!isTable)}
        >
          {isTable ? "Show as chart" : "Show as table"}
        </button>
      </figcaption>
      {isTable ? (
        <ChartTable {...props} />
      ) : (
        // Falls back to the table if drawing fails.
        <CatchBoundary getResetKey={() => label} errorComponent={() => <ChartTable {...props} />}>
          <Suspense fallback={<div style={{ height }} />}>
            <LazyChartCanvas {...props} height={height} />
          </Suspense>
        </CatchBoundary>
      )}
    </figure>
  );
};

const dotClasses: Readonly<Record<ChartSeries["color"], string>> = {
  accent: "bg-accent",
  bad: "bg-bad",
  good: "bg-good",
  wait: "bg-wait",
  soft: "bg-soft",
};

const ChartTable = ({ label, times, series, format, height = 160 }: ChartProps): ReactNode => (
  <section
    className="overflow-auto"
    style={{ maxHeight: height + 120 }}
    // biome-ignore lint/a11y/noNoninteractiveTabindex: keys scroll the region
    tabIndex={0}
    aria-label={markUnseen(label)}
  >
    <table className="w-full text-left text-xs">
      <thead className="sticky top-0 bg-panel">
        <tr>
          <th scope="col" className="py-1 pr-4 font-medium">
            Time
          </th>
          {series.map(({ name }) => (
            <th key={name} scope="col" className="py-1 pr-4 font-medium">
              {markUnseen(name)}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {times.map((at, index) => (
          <tr key={at} className="border-t border-line">
            <th scope="row" className="py-1 pr-4 font-normal text-soft">
              {formatLocal(at)}
            </th>
            {series.map(({ name, values }) => (
              <td key={name} className="py-1 pr-4">
                {values[index] === undefined ? "–" : format(values[index])}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  </section>
);
