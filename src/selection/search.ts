import type { ToolSpec } from "../words/spec.ts";
import type { FoundTerm, ToolIndex } from "./tool-index.ts";

/** A tool that was found for a question. */
export interface FoundTool {
  /** The name it is called by. */
  readonly name: string;
  readonly spec: ToolSpec;
  /** 0 to 1: how likely it is that the tool is meant. */
  readonly score: number;
  readonly reason: string;
  readonly found: readonly FoundTerm[];
}

/** What a search found: the tools that fit, or that none does, and what of the question they leave open. */
export interface ToolSearch {
  /** Best first. */
  readonly tools: readonly FoundTool[];
  /** 0 to 1: how likely it is that at least one of the tools fits. */
  readonly confidence: number;
  /** Why nothing was found, when nothing was. */
  readonly none?: string;
  /** The wishes of a question that has several, each with the names of the tools that answer it best. */
  readonly wishes: readonly { readonly text: string; readonly tools: readonly string[] }[];
}

export interface SearchRequest {
  readonly maxCandidates: number;
  readonly minScore: number;
  readonly isAllowed?: ((key: string, spec: ToolSpec) => boolean) | undefined;
}

/** Searches an index: at once, without a model, and the same every time. */
export const searchIndex = (index: ToolIndex, query: string, request: SearchRequest): ToolSearch => {
  const { maxCandidates, minScore, isAllowed } = request;
  const hits = index.search(query, { limit: maxCandidates, isAllowed });
  const tools = hits
    .filter(({ score }) => score >= minScore)
    .map(({ key, spec, score, found }): FoundTool => {
      const reason = `shares ${found.map(({ term, place }) => `${term} (${place})`).join(", ")}`;
      return { name: key, spec, score, reason, found };
    });
  return {
    tools,
    confidence: tools[0]?.score ?? 0,
    ...(tools.length === 0 ? { none: "No tool fits this question." } : {}),
    wishes: [{ text: query, tools: tools.map(({ name }) => name) }],
  };
};
