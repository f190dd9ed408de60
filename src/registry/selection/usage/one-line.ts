import { toWireName } from "../../tool/name.ts";

/** As much of a question as the ledger keeps. */
const longest = 500;

export const oneLine = (text: string): string =>
  text
    .slice(0, longest)
    .replaceAll(/[\p{C}\p{Z}\s]+/gu, " ")
    .trim();

/** Enough of a question to know it again. */
const mostShown = 60;

export const quoted = (text: string): string => {
  const signs = [...text.replaceAll('"', "'")];
  return `"${signs.length > mostShown ? `${signs.slice(0, mostShown).join("").trimEnd()}…` : signs.join("")}"`;
};

/** Rows have full names, and specs the ones that models are shown. */
export const shownName = (name: string): string => (name.includes("/") ? toWireName(name) : name);
