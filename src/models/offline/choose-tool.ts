import { stem } from "../../registry/selection/stem.ts";
import { splitWords, termsOf } from "../../registry/selection/terms.ts";
import { type IndexHit, type ToolIndex, toolIndex } from "../../registry/selection/tool-index.ts";
import type { OfferedTool } from "../dialects/offered-tool.ts";
import { literals, maskValues } from "./text-values.ts";

const handoffName = /^(?:handoff|transfer)_to_(.+)$/i;

export const isHandoff = (name: string): boolean => handoffName.test(name);

const greeting =
  /^[^\p{L}]*(?:hi|hey|hello|howdy|greetings|good (?:morning|afternoon|evening|day))(?!\p{L})/iu;

/** What is quoted, and addresses, say nothing about which tool is wanted; one greeting is as good as another. */
const toQuery = (text: string): string => {
  const words = maskValues(text, literals(text));
  return words.replace(greeting, (found) => `${found} hello greet`);
};

export interface OfflineToolChoice {
  readonly listed: OfferedTool;
  readonly score: number;
  /** The words of the text that speak for the tool. */
  readonly words: readonly string[];
}

/** Beside the overlap, a tool that is called by its whole name comes before one that shares a verb with it. */
const nameBonus = 0.2;

/** A description shares words with much that is not meant, so it must share more. */
const describedFactor = 2.5;

interface WeightedChoice extends OfflineToolChoice {
  /** What the score is worth: less where only the description speaks for the tool. */
  readonly fit: number;
}

const indexes = new WeakMap<readonly OfferedTool[], ToolIndex>();

const indexOf = (tools: readonly OfferedTool[]): ToolIndex => {
  const before = indexes.get(tools);
  if (before !== undefined) return before;
  const index = toolIndex();
  for (const [place, { spec }] of tools.entries()) index.add(String(place), spec);
  indexes.set(tools, index);
  return index;
};

/** Every tool that shares a word with the query, best first. */
const weighTools = (query: string, tools: readonly OfferedTool[]): readonly WeightedChoice[] => {
  const hits = indexOf(tools).search(query, { limit: tools.length });
  const queryTerms = new Set(termsOf(query));
  return hits.map((hit) => toChoice(hit, tools[Number(hit.key)] as OfferedTool, queryTerms));
};

const toChoice = (
  { score, evidence, found }: IndexHit,
  listed: OfferedTool,
  said: ReadonlySet<string>,
): WeightedChoice => {
  const tags = listed.spec.tags.flatMap((tag) => termsOf(tag)).filter((term) => said.has(term));
  const isNamed = tags.length > 0 || found.some(({ place }) => place === "name");
  const words = found.filter(({ place }) => place !== "elsewhere").map((one) => one.for ?? one.term);
  return {
    listed,
    score: score + nameBonus * evidence.named,
    words: [...words, ...tags],
    fit: isNamed ? score : score / describedFactor,
  };
};

/** The tool whose words fit the text best, of equals the first. One that only shares parameter names does not fit. */
export const chooseTool = (
  text: string,
  tools: readonly OfferedTool[],
  minScore: number,
): OfflineToolChoice | undefined => {
  const weighed = weighTools(toQuery(text), tools);
  let best: OfflineToolChoice | undefined;
  for (const choice of weighed) {
    // Who insists on one tool gets that one.
    if (isHandoff(choice.listed.wireName) && (minScore > 0 || tools.length > 1)) continue;
    const fits = minScore === 0 || (choice.words.length > 0 && choice.fit >= minScore);
    if (fits && choice.score > (best?.score ?? -1)) best = choice;
  }
  if (best !== undefined || minScore > 0) return best;
  const [first] = tools.filter(({ wireName }) => tools.length === 1 || !isHandoff(wireName));
  return first && { listed: first, score: 0, words: [] };
};

/** Whether the text has words for the choice that say nothing about the other tool: a wish of its own. */
export const hasOwnWords = (
  text: string,
  { listed, words }: OfflineToolChoice,
  other: OfferedTool,
): boolean => {
  if (listed === other) return false;
  const known = weighTools(toQuery(text), [other])[0]?.words ?? [];
  return words.some((word) => !known.includes(word));
};

const handoffRequest =
  /(?<!\p{L})(?:hand(?:ing)?\s+(?:me\s+|this\s+|it\s+|us\s+)?(?:over|off)|hand-?off|transfer|forward|switch|connect|pass|speak|talk|ask|escalate|put\s+me\s+through)(?!\p{L})/iu;

/** Another agent takes over only when the text asks for that and names it. */
export const chooseHandoff = (text: string, tools: readonly OfferedTool[]): OfferedTool | undefined => {
  if (!handoffRequest.test(text)) return undefined;
  const queryStems = new Set(splitWords(text).map(stem));
  return tools.find(({ wireName }) => {
    const target = handoffName.exec(wireName)?.[1];
    return (
      target !== undefined &&
      splitWords(target).every((word) => word === "agent" || queryStems.has(stem(word)))
    );
  });
};
