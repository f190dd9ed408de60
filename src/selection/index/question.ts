import { joinedNames } from "../terms.ts";
import { vocabulary } from "../vocabulary.ts";
import { type Wish, wishesIn } from "../wishes.ts";

/** A stem of the question, or one of like meaning, as it is looked for. */
export interface AskedTerm {
  readonly stem: string;
  /** 1 for a stem of the question itself. */
  readonly strength: number;
  /** The place of the stem of the question that it stands for. */
  readonly from: number;
  /** One bit for each wish that it belongs to. */
  wishes: number;
}

/** What a question asks for, before any tool is looked at. */
export interface Question {
  readonly wishes: readonly Wish[];
  readonly asked: readonly AskedTerm[];
  /** How much each stem of the question says, by its place. */
  readonly says: Float32Array;
  readonly saysInAll: number;
  /** Stems side by side. */
  readonly pairs: readonly (readonly [left: string, right: string])[];
}

/** Of a longer question the beginning is read. */
const longest = 8_000;
const mostStems = 96;

export const readQuestion = (text: string): Question => {
  const { find, near, rarityOf } = vocabulary();
  const cut = text.slice(0, longest);
  const wishes = wishesIn(cut);
  const own = new Map<string, AskedTerm>();
  const pairs: (readonly [string, string])[] = [];
  const note = (stem: string, bit: number): void => {
    const before = own.get(stem);
    if (before !== undefined) before.wishes |= bit;
    else if (own.size < mostStems) own.set(stem, { stem, strength: 1, from: own.size, wishes: bit });
  };
  for (const [place, { text: wish, terms }] of wishes.entries()) {
    const bit = 1 << place;
    for (const stem of terms) note(stem, bit);
    for (const stem of joinedNames(wish)) note(stem, bit);
    for (let at = 1; at < terms.length && pairs.length < mostStems; at++) {
      pairs.push([terms[at - 1] as string, terms[at] as string]);
    }
  }
  const meant = new Map<string, AskedTerm>();
  for (const { stem, from, wishes: bits } of own.values()) {
    const place = find(stem);
    if (place === undefined) continue;
    for (const { stem: other, likeness } of near(place)) {
      if (own.has(other)) continue;
      const strength = likeness * likeness;
      const before = meant.get(other);
      if (before === undefined || before.strength < strength)
        meant.set(other, { stem: other, strength, from, wishes: bits });
    }
  }
  const says = Float32Array.from(own.keys(), rarityOf);
  return {
    wishes,
    asked: [...own.values(), ...meant.values()],
    says,
    saysInAll: says.reduce((sum, one) => sum + one, 0),
    pairs,
  };
};
