import type { Comparison, Difference } from "../../src/agent/experiments/experiment-result.ts";
import { Badge } from "../components/badge.tsx";
import { ForeignText } from "../components/foreign-text.tsx";

export const DifferenceIntervals = ({
  comparison: { differences },
  confidence,
}: {
  readonly comparison: Comparison;
  readonly confidence: number;
}) => (
  <div className="flex flex-col gap-3">
    <ul className="flex flex-col gap-4">
      {differences.map((difference) => (
        <li
          key={difference.metric}
          className="grid grid-cols-1 items-center gap-x-4 gap-y-1 sm:grid-cols-[10rem_1fr_9rem]"
        >
          <span className="font-medium">
            <ForeignText text={difference.label} isInline />
          </span>
          <Interval difference={difference} />
          <span>
            <Badge tone={difference.conclusion === "difference" ? "accent" : "plain"}>
              {conclusionText(difference)}
            </Badge>
          </span>
          <span className="text-xs text-soft sm:col-span-3">
            <ForeignText text={difference.sentence} isInline />
          </span>
        </li>
      ))}
    </ul>
    <p className="text-xs text-soft">
      Each horizontal line is a {Math.round(confidence * 100)} % confidence interval and the dot is the
      estimate. The vertical line marks no difference.
    </p>
  </div>
);

const Interval = ({
  difference: { estimate, low, high, scale, unit },
}: {
  readonly difference: Difference;
}) => {
  if (estimate === null || low === null || high === null)
    return <span className="text-soft">too few runs</span>;
  const most = Math.max(Math.abs(low), Math.abs(high), Math.abs(estimate), 1e-9) * 1.1;
  const at = (value: number): string => `${50 + (50 * value) / most}%`;
  const formatValue = (value: number): string =>
    scale === "ratio" || unit === "share" ? `${(100 * value).toFixed(0)} %` : value.toFixed(2);
  return (
    <span>
      <svg
        width="100%"
        height="20"
        role="img"
        aria-label={`${formatValue(estimate)}, from ${formatValue(low)} to ${formatValue(high)}`}
      >
        <line x1="0" x2="100%" y1="10" y2="10" className="stroke-line" />
        <line x1="50%" x2="50%" y1="0" y2="20" className="stroke-edge" />
        <line x1={at(low)} x2={at(high)} y1="10" y2="10" strokeWidth="3" className="stroke-accent" />
        <circle cx={at(estimate)} cy="10" r="4.5" className="fill-accent" />
      </svg>
      <span className="block text-xs text-soft">
        {formatValue(estimate)} ({formatValue(low)} to {formatValue(high)})
      </span>
    </span>
  );
};

const conclusionText = ({ conclusion, better }: Difference): string =>
  conclusion === "difference"
    ? better === null
      ? "difference"
      : `${better} is better`
    : conclusion === "too-few"
      ? "too few runs"
      : "no clear difference";
