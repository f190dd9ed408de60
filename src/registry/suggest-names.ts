import { editDistance } from "../base/text/nearest.ts";
import type { Registration } from "../types/tool.ts";

const maxComparisons = 4_000;
const maxSuggestions = 5;
const maxComparedLength = 128;

interface NameForm {
  readonly text: string;
  readonly registration: Registration;
}

interface FormGroup {
  readonly letters: string;
  readonly forms: NameForm[];
}

const groupCache = new WeakMap<readonly Registration[], readonly FormGroup[]>();

const groupsOf = (registrations: readonly Registration[]): readonly FormGroup[] => {
  const before = groupCache.get(registrations);
  if (before !== undefined) return before;
  const byLetters = new Map<string, FormGroup>();
  const add = (name: string, registration: Registration): void => {
    const text = normalizedName(name);
    const letters = sortedLetters(text);
    const same = byLetters.get(letters);
    if (same === undefined) byLetters.set(letters, { letters, forms: [{ text, registration }] });
    else same.forms.push({ text, registration });
  };
  for (const registration of registrations) {
    const { key, tool } = registration;
    add(tool.spec.name, registration);
    if (key !== tool.spec.name) add(key, registration);
  }
  const groups = [...byLetters.values()];
  if (Object.isFrozen(registrations)) groupCache.set(registrations, groups);
  return groups;
};

/** Names only tools that `isVisible` admits, so that a guess reveals nothing about hidden tools. */
export const suggestNames = (
  requested: string,
  registrations: readonly Registration[],
  isVisible: (registration: Registration) => boolean,
): readonly string[] => {
  const name = normalizedName(requested.slice(0, maxComparedLength));
  if (name === "") return [];
  const letters = sortedLetters(name);
  const limit = Math.min(4, Math.max(1, Math.floor(name.length / 3)));
  const scores = new Map<Registration, number>();
  let budget = maxComparisons;
  for (const group of groupsOf(registrations)) {
    if (!mayBeNear(letters, group.letters, limit)) continue;
    if (budget <= 0) break;
    for (const { text, registration } of group.forms) {
      budget--;
      const score = nameDistance(name, text, limit);
      if (score <= limit) scores.set(registration, Math.min(score, scores.get(registration) ?? score));
    }
  }
  const best = [...scores].sort(
    ([one, score], [other, otherScore]) => score - otherScore || (one.key < other.key ? -1 : 1),
  );
  const near: string[] = [];
  for (const [registration] of best) {
    if (near.length === maxSuggestions) break;
    if (isVisible(registration))
      near.push(requested.includes("/") ? registration.key : registration.wireName);
  }
  return near;
};

const sortedLetters = (text: string): string => text.split("").sort().join("");

/** Models most often get case and separators wrong. */
const normalizedName = (name: string): string => {
  const lower = name.toLowerCase();
  // Registered names are ASCII, and compiling the Unicode classes takes longer than all comparisons.
  return isAscii.test(lower) ? lower.replaceAll(/[^a-z0-9]/g, "") : lower.replaceAll(/[^\p{L}\p{N}]/gu, "");
};

const isAscii = /^[\0-\x7f]*$/;

/** A name that contains the other is at most at the limit. */
const nameDistance = (from: string, to: string, limit: number): number => {
  const edits = editDistance(from, to, limit);
  const isWithin = Math.min(from.length, to.length) >= 3 && (to.includes(from) || from.includes(to));
  return isWithin ? Math.min(edits, limit) : edits;
};

/** A fast pre-check on sorted letters: an edit changes at most one letter on either side. */
const mayBeNear = (name: string, other: string, limit: number): boolean => {
  let at = 0;
  let otherAt = 0;
  let missing = 0;
  let added = 0;
  while (at < name.length && otherAt < other.length) {
    const difference = name.charCodeAt(at) - other.charCodeAt(otherAt);
    if (difference <= 0) at++;
    if (difference >= 0) otherAt++;
    if (difference === 0) continue;
    if (difference < 0) missing++;
    else added++;
    if (missing > 0 && added > 0 && (missing > limit || added > limit)) return false;
  }
  missing += name.length - at;
  added += other.length - otherAt;
  return added === 0 || missing === 0 || (added <= limit && missing <= limit);
};
