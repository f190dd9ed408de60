import { shorten } from "../../../base/text/cut-text.ts";

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

// Control characters would vanish or, as NUL, be replaced by whoever reads the page.
const controlCharacters = /[^\P{Cc}\t\n\r]/gu;

/** Safe as text and inside quoted attributes. Everything on the page that is not our own word goes through here. */
export const escapeHtml = (text: string): string =>
  text
    .toWellFormed()
    .replace(controlCharacters, "\ufffd")
    .replace(/[&<>"']/g, (character) => entities[character]!);

/** Our own words: an amount is torn neither from its unit nor apart at the end of a line. */
export const ownText = (text: string): string =>
  escapeHtml(text.replace(/(?<=\d) (?=[%a-z])/g, "\u00a0")).replace(
    /\d[\d.,]*–\d[\d.,]*/g,
    (range) => `<span class="whole">${range}</span>`,
  );

/** Foreign text: also kept from turning the direction of what stands around it. */
export const foreignText = (text: string, longest = 300): string =>
  `<bdi>${escapeHtml(shorten(text, longest))}</bdi>`;

export const capitalize = (text: string): string => text.slice(0, 1).toUpperCase() + text.slice(1);

export const pluralize = (count: number, noun: string): string =>
  `${count.toLocaleString("en-US")} ${noun}${count === 1 ? "" : "s"}`;

/** A place on a plot, as SVG and CSS take it. Plots are drawn in percent, so that text keeps its size on a phone. */
export const formatPercent = (share: number): string => `${Number((share * 100).toFixed(2))}%`;
