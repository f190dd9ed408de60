import { editDistance } from "../text/edit-distance.ts";
import type { Registration } from "../words/tool.ts";

const comparisons = 4_000;
const suggestions = 5;
const longest = 128;

/**
 * Names that may have been meant, the nearest first. Only tools that `isVisible` lets through are
 * named, so that a wrong guess teaches nothing about hidden ones.
 */
export const nearest = (
  asked: string,
  registrations: readonly Registration[],
  isVisible: (registration: Registration) => boolean,
): readonly string[] => {
  const name = plain(asked.slice(0, longest));
  if (name === "") return [];
  const limit = Math.min(4, Math.max(1, Math.floor(name.length / 3)));
  const mayBeNear = letterFilter(name, limit);
  const scored: { readonly registration: Registration; readonly score: number }[] = [];
  let budget = comparisons;
  for (const registration of registrations) {
    if (budget <= 0) break;
    const { key } = registration;
    const short = registration.tool.spec.name;
    let score = Number.POSITIVE_INFINITY;
    if (mayBeNear(short)) {
      budget--;
      score = distance(name, plain(short), limit);
    }
    if (key !== short && mayBeNear(key)) {
      budget--;
      score = Math.min(score, distance(name, plain(key), limit));
    }
    if (score <= limit) scored.push({ registration, score });
  }
  scored.sort((a, b) => a.score - b.score);
  const near: string[] = [];
  for (const { registration } of scored) {
    if (near.length === suggestions) break;
    if (isVisible(registration)) near.push(asked.includes("/") ? registration.key : registration.wireName);
  }
  return near;
};

/** Case and separators are what a model gets wrong most, so they do not count. */
const plain = (name: string): string => {
  const lower = name.toLowerCase();
  // Registered names are ASCII, and compiling the Unicode classes alone takes longer than all comparisons.
  return isAscii.test(lower) ? lower.replaceAll(/[^a-z0-9]/g, "") : lower.replaceAll(/[^\p{L}\p{N}]/gu, "");
};

const isAscii = /^[\0-\x7f]*$/;

/** A name within the other is as near as the limit. */
const distance = (from: string, to: string, limit: number): number => {
  const edits = editDistance(from, to, limit);
  const isWithin = Math.min(from.length, to.length) >= 3 && (to.includes(from) || from.includes(to));
  return isWithin ? Math.min(edits, limit) : edits;
};

/** Letters and digits of ASCII by their code, in lower case; 0 for everything else. */
const folded = Uint8Array.from({ length: 128 }, (_, code) => {
  const character = String.fromCharCode(code).toLowerCase();
  return /[a-z0-9]/.test(character) ? character.charCodeAt(0) : 0;
});

/**
 * Tells by the letters alone whether a name can be near, without comparing the two: no edit changes more than one letter
 * on either side, and a name within the other has no letter of its own.
 */
const letterFilter = (name: string, limit: number): ((form: string) => boolean) => {
  const left = new Int16Array(256);
  for (let at = 0; at < name.length; at++) {
    const code = name.charCodeAt(at);
    if (code < 128) left[code]!++;
  }
  return (form) => {
    let shared = 0;
    let added = 0;
    let at = 0;
    for (; at < form.length; at++) {
      const letter = folded[form.charCodeAt(at)];
      if (letter === undefined) break;
      if (letter === 0) continue;
      if (left[letter]!-- > 0) shared++;
      else added++;
    }
    const isRead = at === form.length;
    // The counts are used again for the next name.
    while (at-- > 0) left[folded[form.charCodeAt(at)]!]!++;
    const missing = name.length - shared;
    return !isRead || added === 0 || missing === 0 || (added <= limit && missing <= limit);
  };
};
