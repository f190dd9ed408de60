import { escapeHtml, formatPercent } from "./markup.ts";

export interface Dot {
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
