import { headOf } from "../../../base/text/cut-text.ts";
import type { ArmSummary, Comparison, Difference, ExperimentResult } from "../experiment-result.ts";

export interface ReportPage {
  readonly result: ExperimentResult;
  readonly armNamed: (name: string) => ArmSummary;
  readonly arms: readonly ArmSummary[];
  readonly armsOf: (comparison: Comparison) => { readonly baseline: ArmSummary; readonly arm: ArmSummary };
  readonly toneOf: (arm: string) => string;
}

const toneCount = 6;

export const toReportPage = (result: ExperimentResult): ReportPage => {
  const named = new Map(result.arms.map((arm) => [arm.arm, { ...arm, label: shortLabel(arm.label) }]));
  const armNamed = (name: string): ArmSummary => named.get(name)!;
  return {
    result,
    armNamed,
    arms: [...named.values()],
    armsOf: ({ baseline, arm }) => ({ baseline: armNamed(baseline), arm: armNamed(arm) }),
    toneOf: (arm) => `arm-${result.arms.findIndex((each) => each.arm === arm) % toneCount}`,
  };
};

const shortLabel = (label: string): string => (label.length <= 24 ? label : `${headOf(label, 23)}…`);

export const differenceTone = (page: ReportPage, { conclusion, better }: Difference): string => {
  if (conclusion !== "difference") return "quiet";
  return better === null ? "plain" : page.toneOf(better);
};
