import { toWireName } from "../../../tools/tool-name.ts";

/** As many characters as the ledger keeps. */
const maxLineLength = 500;

export const oneLine = (text: string): string =>
  text
    .slice(0, maxLineLength)
    .replaceAll(/[\p{C}\p{Z}\s]+/gu, " ")
    .trim();

const maxQuoteLength = 60;

export const quoteLine = (text: string): string => {
  const signs = [...text.replaceAll('"', "'")];
  return `"${signs.length > maxQuoteLength ? `${signs.slice(0, maxQuoteLength).join("").trimEnd()}…` : signs.join("")}"`;
};

/** Ledger entries contain full names, specs contain wire names. */
export const toModelName = (name: string): string => (name.includes("/") ? toWireName(name) : name);
