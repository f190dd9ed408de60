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
  const scored: { readonly registration: Registration; readonly score: number }[] = [];
  let budget = comparisons;
  for (const registration of registrations) {
    if (budget <= 0) break;
    const short = registration.tool.spec.name;
    const forms = registration.key === short ? [short] : [short, registration.key];
    let score = Number.POSITIVE_INFINITY;
    for (const form of forms) {
      budget--;
      score = Math.min(score, distance(name, plain(form), limit));
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
const plain = (name: string): string => name.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, "");

/** A name within the other is as near as the limit. */
const distance = (from: string, to: string, limit: number): number => {
  const edits = editDistance(from, to, limit);
  const isWithin = Math.min(from.length, to.length) >= 3 && (to.includes(from) || from.includes(to));
  return isWithin ? Math.min(edits, limit) : edits;
};
