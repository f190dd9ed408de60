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

/** Edits between two names, as far as `limit`; a name within the other is as near as the limit. */
const distance = (from: string, to: string, limit: number): number => {
  if (from === to) return 0;
  const within = Math.min(from.length, to.length) >= 3 && (to.includes(from) || from.includes(to));
  const most = within ? limit : limit + 1;
  if (Math.abs(from.length - to.length) > limit) return most;
  let above = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (let row = 1; row <= from.length; row++) {
    const current = [row];
    let best = row;
    for (let column = 1; column <= to.length; column++) {
      const change = (above[column - 1] as number) + (from[row - 1] === to[column - 1] ? 0 : 1);
      const cost = Math.min(change, (above[column] as number) + 1, (current[column - 1] as number) + 1);
      current.push(cost);
      if (cost < best) best = cost;
    }
    if (best > limit) return most;
    above = current;
  }
  return Math.min(most, above[to.length] as number);
};
