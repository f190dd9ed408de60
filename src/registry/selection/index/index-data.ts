import type { ToolSpec } from "../../../types/tool.ts";
import { toolText } from "../tool-text.ts";
import { vocabulary } from "../vocabulary.ts";
import type { ParsedQuery } from "./parse-query.ts";

export interface TermRow {
  readonly stem: string;
  readonly rarity: number;
  readonly place: number | undefined;
  /** Removed tools stay until the next renumbering. */
  tools: Int32Array;
  weights: Float32Array;
  count: number;
  live: number;
}

/** Terms are sorted: only in the name, in name and first sentence, only in the first sentence, elsewhere. */
export interface IndexedTool {
  readonly key: string;
  readonly spec: ToolSpec;
  readonly order: number;
  readonly terms: Int32Array;
  readonly weights: Float32Array;
  readonly onlyName: number;
  readonly name: number;
  readonly headLength: number;
  /** The terms of the head, then the hashes of adjacent terms. */
  readonly headTermsAndPairs: Int32Array;
  /** Mean direction of the words of the head, computed on first use. */
  direction: Float32Array | undefined;
  /** Index version of `direction`. */
  directionAt: number;
}

/** Data that is read for thousands of tools per query is in plain arrays by number. */
export interface IndexData {
  readonly rows: TermRow[];
  /** Term weights, and the version for which each was computed. */
  termWeights: Float32Array;
  termWeightVersions: Int32Array;
  /** During a query: 1 for its terms, less for related terms, 0 for all others. */
  strengths: Float32Array;
  removed: Uint8Array;
  readonly byStem: Map<string, number>;
  /** Terms by index in the vocabulary; -1 if no tool contains it. */
  readonly byPlace: Int32Array;
  readonly byKey: Map<string, number>;
  tools: IndexedTool[];
  addedCount: number;
  version: number;
}

export const emptyIndexData = (): IndexData => ({
  rows: [],
  termWeights: new Float32Array(1_024),
  termWeightVersions: new Int32Array(1_024).fill(-1),
  strengths: new Float32Array(1_024),
  removed: new Uint8Array(1_024),
  byStem: new Map(),
  byPlace: new Int32Array(vocabulary().size).fill(-1),
  byKey: new Map(),
  tools: [],
  addedCount: 0,
  version: 0,
});

const nameRepeats = 2;
/** BM25: `k` saturates repeated words, `length` normalizes by the `common` length of a text. */
const saturation = { k: 1.2, length: 0.5, common: 40 } as const;
export const maxTermWeight = saturation.k + 1;
const maxPairs = 64;

export const addTool = (index: IndexData, key: string, spec: ToolSpec): void => {
  removeTool(index, key);
  const number = index.tools.length;
  const tool = toIndexedTool(index, key, spec);
  index.tools.push(tool);
  index.byKey.set(key, number);
  if (index.removed.length <= number) index.removed = growArray(index.removed, new Uint8Array(number * 2));
  for (let at = 0; at < tool.terms.length; at++) {
    const row = index.rows[tool.terms[at] as number] as TermRow;
    appendToRow(row, number, tool.weights[at] as number);
    row.live++;
  }
  index.version++;
};

export const removeTool = (index: IndexData, key: string): boolean => {
  const number = index.byKey.get(key);
  if (number === undefined) return false;
  const tool = index.tools[number] as IndexedTool;
  index.removed[number] = 1;
  index.byKey.delete(key);
  for (const term of tool.terms) (index.rows[term] as TermRow).live--;
  index.version++;
  if (index.tools.length > 2 * index.byKey.size + 64) renumber(index);
  return true;
};

/** Runs once per as many removals, so that the cost is amortized. */
const renumber = (index: IndexData): void => {
  const left = index.tools.filter((_, number) => index.removed[number] === 0);
  index.rows.length = 0;
  index.byStem.clear();
  index.byPlace.fill(-1);
  index.byKey.clear();
  index.tools = [];
  index.removed.fill(0);
  for (const { key, spec } of left) addTool(index, key, spec);
};

const appendToRow = (row: TermRow, number: number, weight: number): void => {
  if (row.count === row.tools.length) {
    row.tools = growArray(row.tools, new Int32Array(row.count * 2));
    row.weights = growArray(row.weights, new Float32Array(row.count * 2));
  }
  row.tools[row.count] = number;
  row.weights[row.count] = weight;
  row.count++;
};

const growArray = <List extends Int32Array | Float32Array | Uint8Array>(list: List, larger: List): List => {
  larger.set(list);
  return larger;
};

const toIndexedTool = (index: IndexData, key: string, spec: ToolSpec): IndexedTool => {
  const text = toolText(spec);
  const counts = new Map<number, number>();
  const numbersOf = (stems: readonly string[], times: number): readonly number[] =>
    stems.map((stem) => {
      const term = termNumber(index, stem);
      counts.set(term, (counts.get(term) ?? 0) + times);
      return term;
    });
  const name = numbersOf(text.name, nameRepeats);
  const description = numbersOf(text.description, 1);
  numbersOf(text.otherTerms, 1);
  const inName = new Set(name);
  const first = new Set(description.slice(0, text.first));
  const onlyName: number[] = [];
  const both: number[] = [];
  for (const term of inName) (first.has(term) ? both : onlyName).push(term);
  const headLength = [...onlyName, ...both];
  for (const term of first) if (!inName.has(term)) headLength.push(term);
  const all = [...headLength];
  for (const term of counts.keys()) if (!inName.has(term) && !first.has(term)) all.push(term);
  const terms = new Int32Array(all);
  const length = text.name.length * nameRepeats + text.description.length + text.otherTerms.length;
  const lengthPenalty =
    saturation.k * (1 - saturation.length + (saturation.length * length) / saturation.common);
  const weights = new Float32Array(terms.length);
  for (let at = 0; at < terms.length; at++) {
    const count = counts.get(terms[at] as number) as number;
    weights[at] = (count * maxTermWeight) / (count + lengthPenalty);
  }
  return {
    key,
    spec,
    order: index.addedCount++,
    terms,
    weights,
    onlyName: onlyName.length,
    name: inName.size,
    headLength: headLength.length,
    headTermsAndPairs: new Int32Array([...headLength, ...adjacentPairs(name, description)]),
    direction: undefined,
    directionAt: 0,
  };
};

const adjacentPairs = (...texts: readonly (readonly number[])[]): ReadonlySet<number> => {
  const pairs = new Set<number>();
  for (const terms of texts) {
    for (let at = 1; at < terms.length && pairs.size < maxPairs; at++) {
      pairs.add(pairHash(terms[at - 1] as number, terms[at] as number));
    }
  }
  return pairs;
};

export const pairHash = (left: number, right: number): number => Math.imul(left, 0x9e3779b1) ^ right;

const termNumber = (index: IndexData, stem: string): number => {
  const before = index.byStem.get(stem);
  if (before !== undefined) return before;
  const { find, rarityOf } = vocabulary();
  const number = index.rows.length;
  const place = find(stem);
  index.byStem.set(stem, number);
  if (place !== undefined) index.byPlace[place] = number;
  index.rows.push({
    stem,
    rarity: rarityOf(stem),
    place,
    tools: new Int32Array(2),
    weights: new Float32Array(2),
    count: 0,
    live: 0,
  });
  if (index.termWeights.length <= number) {
    index.termWeights = growArray(index.termWeights, new Float32Array(number * 2));
    index.termWeightVersions = growArray(index.termWeightVersions, new Int32Array(number * 2).fill(-1));
    index.strengths = growArray(index.strengths, new Float32Array(number * 2));
  }
  return number;
};

/** Among a few tools, frequencies are chance. */
const minCorpusSize = 50;

/** High if few tools contain the term and it is rare in English. */
export const termWeightOf = (index: IndexData, term: number): number => {
  if (index.termWeightVersions[term] !== index.version) {
    const { live, rarity } = index.rows[term] as TermRow;
    const size = Math.max(index.byKey.size, minCorpusSize);
    const scarcity = Math.log(1 + (size - live + 0.5) / (live + 0.5));
    index.termWeights[term] = Math.sqrt(Math.max(scarcity, 0.05) * rarity);
    index.termWeightVersions[term] = index.version;
  }
  return index.termWeights[term] as number;
};

/** Where a word occurs in a tool; the most important location counts. */
export type TermLocation = "name" | "first sentence" | "elsewhere";

/** A stem of the query, or a related one, that occurs in a tool. */
export interface MatchedTerm {
  /** The stem in the tool. */
  readonly term: string;
  /** The stem of the query, if it is another one. */
  readonly for?: string;
  readonly place: TermLocation;
  /** Its contribution to the weight of shared words. */
  readonly weight: number;
}

/** `index.strengths` must be set for the query. */
export const matchedTerms = (
  index: IndexData,
  { relatedStems }: ParsedQuery,
  { terms, weights, name, headLength }: IndexedTool,
): readonly MatchedTerm[] => {
  const all: MatchedTerm[] = [];
  for (let at = 0; at < terms.length; at++) {
    const term = terms[at] as number;
    const strength = index.strengths[term] as number;
    if (strength === 0) continue;
    const { stem, place } = index.rows[term] as TermRow;
    const other = strength === 1 || place === undefined ? undefined : relatedStems.get(place)?.stem;
    all.push({
      term: stem,
      ...(other === undefined ? {} : { for: other }),
      place: at < name ? "name" : at < headLength ? "first sentence" : "elsewhere",
      weight: strength * termWeightOf(index, term) * (weights[at] as number),
    });
  }
  return all.sort((a, b) => b.weight - a.weight);
};
