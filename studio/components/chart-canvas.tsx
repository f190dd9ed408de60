import { useEffect, useRef } from "react";
import UPlot from "uplot";
import type { ChartProps } from "./chart.tsx";
import { markUnseen } from "./invisible-characters.ts";

export const ChartCanvas = ({ label, times, series, format, height = 160, isWhole = false }: ChartProps) => {
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const box = place.current;
    if (box === null) return;
    let plot: UPlot | undefined;
    const draw = (): void => {
      plot?.destroy();
      const soft = themeColor(box, "--soft");
      const line = themeColor(box, "--line");
      const axis = { stroke: soft, font: "11px system-ui", ticks: { show: false } };
      plot = new UPlot(
        {
          width: box.clientWidth,
          height,
          cursor: { drag: { x: false, y: false }, points: { size: 6 } },
          legend: { show: false },
          padding: [8, 12, 0, 0],
          scales: { y: { range: (_, __, most) => [0, most > 0 ? most * 1.1 : 1] } },
          axes: [
            {
              ...axis,
              size: 24,
              space: 64,
              grid: { show: false },
              values: (_, marks) => axisTimeLabels(marks),
            },
            {
              ...axis,
              size: 60,
              space: height < 140 ? 24 : 40,
              grid: { stroke: line, width: 1 },
              ...(isWhole ? { incrs: integerSteps } : {}),
              values: (_, marks) => marks.map((mark) => format(mark)),
            },
          ],
          series: [
            {},
            ...series.map(({ name, color, values, kind = "line" }): UPlot.Series => {
              // A line between few points is hardly visible.
              const isSparse = kind === "line" && values.filter((each) => each !== undefined).length < 8;
              const stroke = themeColor(box, `--${color}`);
              const bars = UPlot.paths.bars?.({ size: [0.7, 24] });
              return {
                label: name,
                stroke,
                width: kind === "line" ? 1.5 : 0,
                spanGaps: true,
                points: { size: 5, fill: stroke, stroke, show: kind === "points" || isSparse },
                ...(kind === "bars" && bars !== undefined ? { fill: stroke, paths: bars } : {}),
                ...(kind === "points" ? { paths: () => null } : {}),
              };
            }),
          ],
        },
        [times.map((at) => at / 1_000), ...series.map(({ values }) => values.map((each) => each ?? null))],
        box,
      );
    };
    draw();
    const fit = new ResizeObserver(() => plot?.setSize({ width: box.clientWidth, height }));
    fit.observe(box);
    const scheme = matchMedia("(prefers-color-scheme: dark)");
    scheme.addEventListener("change", draw);
    document.addEventListener("haft-theme", draw);
    return () => {
      fit.disconnect();
      scheme.removeEventListener("change", draw);
      document.removeEventListener("haft-theme", draw);
      plot?.destroy();
    };
  }, [times, series, format, height, isWhole]);
  return (
    <div
      ref={place}
      role="img"
      aria-label={`Chart: ${markUnseen(label)}. The button shows the data as a table.`}
      style={{ height }}
      className="overflow-hidden"
    />
  );
};

const integerSteps = Array.from(
  { length: 30 },
  (_, step) => [1, 2, 5][step % 3]! * 10 ** Math.floor(step / 3),
);

const dayFormat = new Intl.DateTimeFormat("en-US", { month: "short", day: "numeric" });
const minuteFormat = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit" });
const secondFormat = new Intl.DateTimeFormat("en-GB", { minute: "2-digit", second: "2-digit" });

/** Shows the date at midnight, and for marks that are days apart. */
const axisTimeLabels = (marks: readonly number[]): string[] => {
  const step = marks.length < 2 ? 3_600 : marks[1]! - marks[0]!;
  return marks.map((mark) => {
    const at = mark * 1_000;
    if (step < 60) return secondFormat.format(at);
    const words = minuteFormat.format(at);
    return step >= 86_400 || words === "00:00" ? dayFormat.format(at) : words;
  });
};

const themeColor = (box: HTMLElement, name: string): string => {
  const probe = document.createElement("span");
  probe.style.color = `var(${name})`;
  box.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
};
