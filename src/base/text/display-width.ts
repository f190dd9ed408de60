/** EastAsianWidth wide and fullwidth, without emoji. */
const widePattern =
  /[\u1100-\u115f\u2329\u232a\u2630-\u2637\u268a-\u268f\u2e80-\u303e\u3041-\u3247\u3250-\ua4c6\ua960-\ua97c\uac00-\ud7a3\uf900-\ufaff\ufe10-\ufe6b\uff01-\uff60\uffe0-\uffe6\u{16fe0}-\u{1b2fb}\u{1d300}-\u{1d376}\u{1f200}-\u{1f265}\u{20000}-\u{3fffd}]/u;

const zeroWidthPattern = /[\p{Cc}\p{Cf}\p{Mn}\p{Me}\u1160-\u11ff\ud7b0-\ud7ff]/u;

/** Emoji by default, by variation selector, or as a flag of two regional indicators. */
const emojiPattern = /^(?:\p{RI}\p{RI}|(?!\p{RI})\p{Emoji_Presentation}|\p{Emoji}\ufe0f)/u;

const printableAscii = /^[\x20-\x7e]*$/;

/** Bounds sequences of combining marks. */
const maxUnitsPerColumn = 16;

const graphemes = new Intl.Segmenter("en", { granularity: "grapheme" });

const graphemeWidth = (grapheme: string): number => {
  if (emojiPattern.test(grapheme)) return 2;
  let width = 0;
  for (const character of grapheme)
    if (!zeroWidthPattern.test(character)) width += widePattern.test(character) ? 2 : 1;
  return width;
};

export const displayWidth = (text: string): number => {
  if (printableAscii.test(text)) return text.length;
  let width = 0;
  for (const { segment } of graphemes.segment(text)) width += graphemeWidth(segment);
  return width;
};

export const cutToWidth = (text: string, columns: number): string => {
  if (columns >= text.length * 2) return text;
  let [width, end] = [0, 0];
  for (const { segment } of graphemes.segment(text)) {
    width += graphemeWidth(segment);
    if (width > columns || end + segment.length > columns * maxUnitsPerColumn) break;
    end += segment.length;
  }
  return text.slice(0, end);
};

export const shortenToWidth = (text: string, columns: number): string => {
  const prefix = cutToWidth(text, columns);
  return prefix.length === text.length ? text : `${cutToWidth(prefix, columns - 1)}…`;
};

export const padToWidth = (text: string, columns: number): string =>
  text + " ".repeat(Math.max(0, columns - displayWidth(text)));
