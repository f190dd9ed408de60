import type { OfferedTool } from "../../dialects/listed.ts";
import { keywordScore, splitWords, stem } from "../../selection/keyword-score.ts";
import { claimAll, literals } from "./text.ts";

const handoffName = /^(?:handoff|transfer)_to_(.+)$/i;

export const isHandoff = (name: string): boolean => handoffName.test(name);

const greeting =
  /^[^\p{L}]*(?:hi|hey|hello|howdy|greetings|good (?:morning|afternoon|evening|day))(?!\p{L})/iu;

/** What is quoted, and addresses, say nothing about which tool is wanted; one greeting is as good as another. */
const toQuery = (text: string): string => {
  const words = claimAll(text, literals(text));
  return words.replace(greeting, (found) => `${found} hello greet`);
};

export interface ToolChoice {
  readonly listed: OfferedTool;
  readonly score: number;
  /** The words of the text that speak for the tool. */
  readonly words: readonly string[];
}

/** Beside the overlap, a tool that is called by its whole name comes before one that shares a verb with it. */
const nameBonus = 0.2;

/** A description shares words with much that is not meant, so it must share more. */
const describedFactor = 2.5;

const weigh = (query: string, listed: OfferedTool): ToolChoice & { readonly fit: number } => {
  const { score, details } = keywordScore(query, listed.spec);
  const isNamed = details.found.some(({ place }) => place === "name" || place === "tag");
  const words = details.found.filter(({ place }) => place !== "parameter").map(({ word }) => word);
  const fit = isNamed ? score : score / describedFactor;
  return { listed, score: score + nameBonus * details.named, words, fit };
};

/** The tool whose words fit the text best, of equals the first. One that only shares parameter names does not fit. */
export const chooseTool = (
  text: string,
  tools: readonly OfferedTool[],
  minScore: number,
): ToolChoice | undefined => {
  const query = toQuery(text);
  let best: ToolChoice | undefined;
  for (const listed of tools) {
    // Who insists on one tool gets that one.
    if (isHandoff(listed.wireName) && (minScore > 0 || tools.length > 1)) continue;
    const choice = weigh(query, listed);
    const fits = minScore === 0 || (choice.words.length > 0 && choice.fit >= minScore);
    if (fits && choice.score > (best?.score ?? -1)) best = choice;
  }
  return best;
};

/** Whether the text has words for the choice that say nothing about the other tool: a wish of its own. */
export const isOwnWish = (text: string, { listed, words }: ToolChoice, other: OfferedTool): boolean => {
  if (listed === other) return false;
  const known = weigh(toQuery(text), other).words;
  return words.some((word) => !known.includes(word));
};

const asks =
  /(?<!\p{L})(?:hand(?:ing)?\s+(?:me\s+|this\s+|it\s+|us\s+)?(?:over|off)|hand-?off|transfer|forward|switch|connect|pass|speak|talk|ask|escalate|put\s+me\s+through)(?!\p{L})/iu;

/** Another agent takes over only when the text asks for that and names it. */
export const chooseHandoff = (text: string, tools: readonly OfferedTool[]): OfferedTool | undefined => {
  if (!asks.test(text)) return undefined;
  const said = new Set(splitWords(text).map(stem));
  return tools.find(({ wireName }) => {
    const target = handoffName.exec(wireName)?.[1];
    return (
      target !== undefined && splitWords(target).every((word) => word === "agent" || said.has(stem(word)))
    );
  });
};
