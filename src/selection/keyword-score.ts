import type { JsonSchema } from "../words/json.ts";
import type { ToolSpec } from "../words/spec.ts";

/** Where in a tool a word of the query was found. */
export type WordPlace = "name" | "tag" | "description" | "parameter";

export interface KeywordScore {
  /** 0 to 1. */
  readonly score: number;
  readonly reason: string;
  readonly details: {
    /** Each word of the query that was found, in its stemmed form, with the weightiest place it stands in. */
    readonly found: readonly { readonly word: string; readonly place: WordPlace }[];
    readonly coverage: number;
    readonly named: number;
    readonly likeness: number;
  };
}

const weight: Readonly<Record<WordPlace, number>> = { name: 1, tag: 1, description: 0.7, parameter: 0.4 };
const shares = { coverage: 0.5, named: 0.1, likeness: 0.4 } as const;

const stopWords = new Set(
  `a an the this that these those and or but nor so of to in on at by for from with without into onto over under about
  as is are was were be been being am do does did doing done has have had having i me my mine we us our you your he him
  his she her it its they them their who whom whose which what when where why how can could would should will shall may
  might must please want wants need needs like wish let lets just also some any all there here if then than not no yes
  im id ive ll re ve help tell know using use used via per each such other more most very up out given based provide
  provides following specified`.split(/\s+/),
);

export const isStopWord = (word: string): boolean => stopWords.has(word.toLowerCase());

/** Words in lower case; `sayHello`, `say_hello` and `say-hello` are all `say` and `hello`. */
export const splitWords = (text: string): readonly string[] =>
  [...text.matchAll(/[\p{L}\p{N}]+/gu)].flatMap(([run]) => partsOf(run));

const partsOf = (run: string): readonly string[] =>
  run
    .replaceAll(/(\p{Ll}|\p{N})(\p{Lu})/gu, "$1 $2")
    .replaceAll(/(\p{Lu})(\p{Lu}\p{Ll})/gu, "$1 $2")
    .toLowerCase()
    .split(" ");

const undoubled = (root: string): string => (/([bdfgmnprt])\1$/.test(root) ? root.slice(0, -1) : root);
const isRoot = (root: string): boolean => root.length >= 3 && /[aeiouy]/.test(root);

/** English plurals, -ing and -ed fall together; the result need not be a word. */
export const stem = (word: string): string => {
  let root = word;
  if (root.length > 4 && root.endsWith("ies")) root = `${root.slice(0, -3)}y`;
  else if (root.length > 4 && /(?:ss|x|ch|sh|zz)es$/.test(root)) root = root.slice(0, -2);
  else if (root.length > 3 && root.endsWith("s") && !/(?:ss|us|is)$/.test(root)) root = root.slice(0, -1);
  if (root.endsWith("ing") && isRoot(root.slice(0, -3))) root = undoubled(root.slice(0, -3));
  else if (root.endsWith("ed") && isRoot(root.slice(0, -2))) root = undoubled(root.slice(0, -2));
  if (root.length > 4 && root.endsWith("e")) root = root.slice(0, -1);
  return root.length > 3 && root.endsWith("y") ? `${root.slice(0, -1)}i` : root;
};

const contraction = /(?<=\p{L})['’](?:s|m|d|ll|re|ve|t)(?!\p{L})/gu;
const isTelling = (word: string): boolean => !/^[a-z0-9]$/.test(word) && !stopWords.has(word);

let last: { readonly text: string; readonly words: ReadonlySet<string> } = { text: "", words: new Set() };

/** One query is held against many tools, one after another. */
const queryWords = (query: string): ReadonlySet<string> => {
  if (last.text !== query) last = { text: query, words: keywords(query) };
  return last.words;
};

/** The words that carry meaning, stemmed. A word in camelCase counts whole and in its parts: GitHub is github. */
const keywords = (text: string): ReadonlySet<string> => {
  const words = new Set<string>();
  for (const [run] of text.replaceAll(contraction, "").matchAll(/[\p{L}\p{N}]+/gu)) {
    for (const part of new Set([...partsOf(run), run.toLowerCase()])) {
      if (isTelling(part)) words.add(stem(part));
    }
  }
  return words;
};

interface ToolWords {
  readonly places: ReadonlyMap<string, WordPlace>;
  readonly name: ReadonlySet<string>;
  readonly description: ReadonlySet<string>;
}

const known = new WeakMap<ToolSpec, ToolWords>();

const parametersOf = (input: JsonSchema): readonly string[] => {
  const properties: unknown = input.properties;
  return typeof properties === "object" && properties !== null ? Object.keys(properties) : [];
};

const readWords = (spec: ToolSpec): ToolWords => {
  const name = new Set(splitWords(spec.name).filter(isTelling).map(stem));
  const description = keywords(spec.description);
  const places = new Map<string, WordPlace>();
  // The weightiest place is written last.
  for (const parameter of parametersOf(spec.input))
    for (const word of keywords(parameter)) places.set(word, "parameter");
  for (const word of description) places.set(word, "description");
  for (const tag of spec.tags) for (const word of keywords(tag)) places.set(word, "tag");
  for (const word of keywords(spec.name)) places.set(word, "name");
  return { places, name, description };
};

/** A spec that cannot change is read once. */
const wordsOf = (spec: ToolSpec): ToolWords => {
  const kept = known.get(spec);
  if (kept !== undefined) return kept;
  const words = readWords(spec);
  if (Object.isFrozen(spec) && Object.isFrozen(spec.input) && Object.isFrozen(spec.tags))
    known.set(spec, words);
  return words;
};

const inOrder: readonly WordPlace[] = ["name", "tag", "description", "parameter"];

const reasonOf = (found: KeywordScore["details"]["found"]): string => {
  if (found.length === 0) return "no word of the query stands in it";
  const parts = inOrder.flatMap((place) => {
    const words = found.filter((one) => one.place === place).map((one) => one.word);
    return words.length === 0 ? [] : [`${place}: ${words.join(", ")}`];
  });
  return `shares words with its ${parts.join("; ")}`;
};

/**
 * Overlap of a query's words with a tool's: `0.5 · coverage + 0.1 · named + 0.4 · likeness`, each in 0 to 1.
 * Words are stemmed and counted once; stop words and single letters do not count.
 * - coverage: the mean, over the query's words, of the weight of the best place a word stands in (name or tag 1,
 *   description 0.7, parameter name 0.4, nowhere 0)
 * - named: the part of the name's words that the query holds
 * - likeness: words shared by query and description over the geometric mean of their numbers (cosine)
 */
export const keywordScore = (query: string, spec: ToolSpec): KeywordScore => {
  const asked = queryWords(query);
  const { places, name, description } = wordsOf(spec);
  const found: { readonly word: string; readonly place: WordPlace }[] = [];
  let weights = 0;
  let shared = 0;
  for (const word of asked) {
    const place = places.get(word);
    if (place === undefined) continue;
    found.push({ word, place });
    weights += weight[place];
    if (description.has(word)) shared++;
  }
  const hits = [...name].filter((word) => asked.has(word)).length;
  const coverage = weights / Math.max(1, asked.size);
  const named = hits / Math.max(1, name.size);
  const likeness = shared / Math.sqrt(Math.max(1, asked.size * description.size));
  const score = shares.coverage * coverage + shares.named * named + shares.likeness * likeness;
  // Sums of fractions may end a hair above one.
  return {
    score: Math.min(1, score),
    reason: reasonOf(found),
    details: { found, coverage, named, likeness },
  };
};
