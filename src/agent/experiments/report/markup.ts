import { headOf, shorten } from "../../../base/text/cut-text.ts";
import type { ArmSummary, Comparison, Difference, ExperimentResult } from "../experiment-result.ts";

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

const controlCharacters = /[^\P{Cc}\t\n\r]/gu;

/** Escapes text for elements and quoted attributes. All foreign text passes through it. */
export const escapeHtml = (text: string): string =>
  text
    .toWellFormed()
    .replace(controlCharacters, "\ufffd")
    .replace(/[&<>"']/g, (character) => entities[character]!);

export const ownText = (text: string): string =>
  escapeHtml(text.replace(/(?<=\d) (?=[%a-z])/g, "\u00a0")).replace(
    /\d[\d.,]*–\d[\d.,]*/g,
    (range) => `<span class="whole">${range}</span>`,
  );

/** Isolates the text direction of foreign text. */
export const foreignText = (text: string, longest = 300): string =>
  `<bdi>${escapeHtml(shorten(text, longest))}</bdi>`;

export const capitalize = (text: string): string => text.slice(0, 1).toUpperCase() + text.slice(1);

export const pluralize = (count: number, noun: string): string =>
  `${count.toLocaleString("en-US")} ${noun}${count === 1 ? "" : "s"}`;

/** Plots use percentages, so that text keeps its size on small screens. */
export const formatPercent = (share: number): string => `${Number((share * 100).toFixed(2))}%`;

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

interface Dot {
  readonly at: number;
  readonly title: string;
  readonly tone: string;
}

export const drawDots = (all: readonly Dot[], line: number, maxOffset: number): string => {
  const perBin = new Map<number, number>();
  const radius = all.length > 250 ? 2.5 : 3.5;
  return all
    .map(({ at, title, tone }) => {
      const bin = Math.round(at * 64);
      const before = perBin.get(bin) ?? 0;
      perBin.set(bin, before + 1);
      const height = Math.ceil(before / 2) * (radius * 1.7) * (before % 2 === 0 ? 1 : -1);
      const y = line + Math.max(-maxOffset, Math.min(maxOffset, height));
      return `<circle class="dot ${tone}" cx="${formatPercent(at)}" cy="${Number(y.toFixed(1))}" r="${radius}"><title>${escapeHtml(title)}</title></circle>`;
    })
    .join("");
};
