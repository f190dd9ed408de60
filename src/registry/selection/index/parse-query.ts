import { camelCaseNames, termsOf } from "../terms.ts";
import { vocabulary } from "../vocabulary.ts";

export interface QueryTerm {
  /** The stem of the query, also for a related stem. */
  readonly stem: string;
  /** 1 for the stem itself, less for a related one. */
  readonly strength: number;
  readonly place: number | undefined;
  /** One bit for each intent that contains it. */
  wishes: number;
}

interface QueryIntent {
  readonly text: string;
  readonly terms: readonly string[];
}

const maxIntents = 8;
/** Shorter parts are joined with the part before them. */
const minIntentTerms = 2;

const intentSeparator =
  /(?<=[.!?;。！？；])\s+|\n+|,?\s+(?:and then|then|and also|additionally|furthermore|also|finally|after that|moreover|besides|afterwards|lastly|secondly|next)(?!\p{L})/giu;

/** Splits a query into sentences and at words such as `then` and `also`. */
export const intentsIn = (text: string): readonly QueryIntent[] => {
  const parts: { readonly texts: string[]; readonly terms: string[] }[] = [];
  for (const part of text.split(intentSeparator)) {
    const trimmed = part.trim();
    const terms = trimmed === "" ? [] : termsOf(trimmed);
    if (terms.length === 0) continue;
    const last = parts.at(-1);
    const isJoined =
      last !== undefined &&
      (terms.length < minIntentTerms || last.terms.length < minIntentTerms || parts.length === maxIntents);
    if (isJoined) {
      last.texts.push(trimmed);
      last.terms.push(...terms);
    } else parts.push({ texts: [trimmed], terms: [...terms] });
  }
  if (parts.length === 0) return [{ text: text.trim(), terms: [] }];
  return parts.map(({ texts, terms }) => ({ text: texts.join(" "), terms }));
};

export interface ParsedQuery {
  readonly wishes: readonly QueryIntent[];
  readonly stems: ReadonlyMap<string, QueryTerm>;
  readonly relatedStems: ReadonlyMap<number, QueryTerm>;
}

const maxQueryLength = 8_000;
const maxQueryStems = 96;

export const parseQuery = (text: string): ParsedQuery => {
  const { find, near } = vocabulary();
  const cut = text.slice(0, maxQueryLength);
  const wishes = intentsIn(cut);
  const stems = new Map<string, QueryTerm>();
  const note = (stem: string, bit: number): void => {
    const before = stems.get(stem);
    if (before !== undefined) before.wishes |= bit;
    else if (stems.size < maxQueryStems)
      stems.set(stem, { stem, strength: 1, place: find(stem), wishes: bit });
  };
  for (const [at, { text: wish, terms }] of wishes.entries()) {
    for (const stem of terms) note(stem, 1 << at);
    for (const stem of camelCaseNames(wish)) note(stem, 1 << at);
  }
  const own = new Set([...stems.values()].map(({ place }) => place));
  const relatedStems = new Map<number, QueryTerm>();
  for (const { stem, place: from, wishes: bits } of stems.values()) {
    if (from === undefined) continue;
    for (const { place, likeness } of near(from)) {
      if (own.has(place)) continue;
      const strength = likeness * likeness;
      const before = relatedStems.get(place);
      if (before === undefined || before.strength < strength)
        relatedStems.set(place, { stem, strength, place, wishes: bits });
    }
  }
  return { wishes, stems, relatedStems: relatedStems };
};
