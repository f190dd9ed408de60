import { firstSentenceOf } from "../../base/text/summary-of.ts";
import type { ToolSearchResults } from "../../registry/selection/search-index.ts";

export interface SearchAnswer {
  readonly tools: readonly {
    readonly name: string;
    readonly summary: string;
    readonly score: number;
    readonly loaded?: true;
  }[];
  /** For a query with several intents: the tools for each. */
  readonly wishes?: readonly { readonly wish: string; readonly tools: readonly string[] }[];
  readonly none?: string;
}

export const toSearchAnswer = (
  { tools, wishes, none }: ToolSearchResults,
  isListed: (wireName: string) => boolean,
): SearchAnswer => ({
  tools: tools.map(({ name, spec, score }) => ({
    name,
    summary: firstSentenceOf(spec.description),
    score: Math.round(score * 100) / 100,
    ...(isListed(name) ? { loaded: true as const } : {}),
  })),
  ...(wishes.length < 2 ? {} : { wishes: wishes.map((one) => ({ wish: one.text, tools: one.tools })) }),
  ...(tools.length > 0 ? {} : { none: `${none ?? noToolText} ${noToolAdvice}` }),
});

const noToolText = "No tool fits this question.";
const noToolAdvice = "Search again in other words, or answer without a tool.";
