import { shorten } from "../../../base/text/cut-text.ts";

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
