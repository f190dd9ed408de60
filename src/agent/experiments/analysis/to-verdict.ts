import type { Comparison, Difference } from "../experiment-result.ts";
import type { MeasuredDifference } from "./compare-arms.ts";
import { formatRange, joinWords } from "./metrics.ts";

export interface ArmLabels {
  readonly baseline: string;
  readonly arm: string;
}

/** Capitalizes single-letter arm names, unless that makes two equal. */
export const toLabels = (arms: readonly string[]): readonly string[] => {
  const labels = arms.map((name) => (name.length === 1 ? name.toUpperCase() : name));
  return new Set(labels).size === arms.length ? labels : arms;
};

export const toSentence = (found: MeasuredDifference, labels: ArmLabels, fewest: number): string => {
  if (found.conclusion === "too-few") {
    return `too few inputs to compare ${found.label} (${found.pairs.length} measured with both arms, at least ${fewest} needed)`;
  }
  if (found.conclusion === "no-evidence") return `no evidence of a difference in ${found.label}`;
  return found.scale === "ratio" ? ratioSentence(found, labels) : differenceSentence(found, labels);
};

const populationSuffix: Readonly<Record<string, string>> = {
  latency: "",
  rightLatency: " among right answers",
};

const ratioSentence = ({ metric, label, low, high }: MeasuredDifference, { arm }: ArmLabels): string => {
  const isMore = low! > 0;
  const where = populationSuffix[metric];
  if (isMore && high! >= 1) {
    const times = `${formatRange(1 + low!, 1 + high!)} times`;
    if (where !== undefined) return `${arm} takes ${times} as long${where}`;
    return metric === "cost"
      ? `${arm} costs ${times} as much`
      : `${arm} ${verb(metric)} ${times} the ${label}`;
  }
  const share = `${formatRange(Math.abs(low!) * 100, Math.abs(high!) * 100)} %`;
  if (where !== undefined) return `${arm} is ${isMore ? "slower" : "faster"} by ${share}${where}`;
  if (metric === "cost") return `${arm} costs ${share} ${isMore ? "more" : "less"}`;
  return `${arm} ${verb(metric)} ${share} ${isMore ? "more" : "fewer"} ${label}`;
};

const verbs: Readonly<Record<string, string>> = { tokens: "uses", toolCalls: "makes", toolFailures: "has" };
const verb = (metric: string): string => verbs[metric] ?? "takes";

const differenceSentence = (found: MeasuredDifference, { baseline, arm }: ArmLabels): string => {
  const { metric, label, unit, low, high } = found;
  const isMore = low! > 0;
  const by = (factor: number): string => formatRange(Math.abs(low!) * factor, Math.abs(high!) * factor);
  const winner = isMore ? arm : baseline;
  if (unit === "share") return `${winner} succeeds more often by ${by(100)} percentage points`;
  if (unit === "score") return `${winner} scores higher in ${label} by ${by(1)}`;
  const where = populationSuffix[metric];
  if (where !== undefined) return `${arm} is ${isMore ? "slower" : "faster"} by ${by(1)} ms${where}`;
  if (metric === "cost") return `${arm} costs ${by(1)} ${isMore ? "more" : "less"} per run`;
  return `${arm} ${verb(metric)} ${by(1)} ${isMore ? "more" : "fewer"} ${label} per run`;
};

export const toVerdict = (differences: readonly Difference[], fewest: number): string => {
  const of = (conclusion: Difference["conclusion"]): readonly Difference[] =>
    differences.filter((each) => each.conclusion === conclusion);
  const labels = (some: readonly Difference[]): readonly string[] => some.map(({ label }) => label);
  const [none, few] = [of("no-evidence"), of("too-few")];
  const parts = of("difference").map(({ sentence }) => sentence);
  if (none.length > 0) parts.push(`no evidence of a difference in ${joinWords(labels(none), "or")}`);
  if (few.length === differences.length) {
    const most = Math.max(0, ...few.map(({ pairs }) => pairs.length));
    return `Too few inputs to compare: ${most} ${most === 1 ? "was" : "were"} measured with both arms, and at least ${fewest} are needed.`;
  }
  if (few.length > 0) parts.push(`too few inputs to compare ${joinWords(labels(few), "or")}`);
  return asSentence(parts.join("; "));
};

export const toOverallVerdict = (
  comparisons: readonly Comparison[],
  labelOf: (arm: string) => string,
): string =>
  comparisons.length === 1
    ? comparisons[0]!.verdict
    : comparisons
        .map(({ arm, baseline, verdict }) => `${labelOf(arm)} against ${labelOf(baseline)}: ${verdict}`)
        .join(" ");

export const asSentence = (text: string): string =>
  `${text.startsWith("no ") || text.startsWith("too ") ? text[0]!.toUpperCase() + text.slice(1) : text}.`;
