import type { ToolSpec } from "../../types/spec.ts";

/** A tool with its score. */
export interface RankedTool {
  readonly spec: ToolSpec;
  /** Likelihood that the tool is meant, 0 to 1. */
  readonly score: number;
  readonly reason: string;
  /** Further details, shown with `debug`. */
  readonly details?: unknown;
}

/** The input of a `ToolRanker`. */
export interface RankRequest {
  readonly query: string;
  /** All tools that may be picked. */
  readonly specs: readonly ToolSpec[];
  /** Word matches among them, best first, at most two hundred. */
  readonly lexical: readonly RankedTool[];
  /** Maximum number of tools. */
  readonly limit: number;
}

/** The result of a `ToolRanker`. */
export interface Ranking {
  /** At most `limit` tools, best first. */
  readonly tools: readonly RankedTool[];
  /** Why words alone decided, if they did. */
  readonly fallback?: string;
}

/** Ranks all tools together, as embeddings require. If it throws, the word matches are used. */
export interface ToolRanker {
  /** Appears in the reasons. */
  readonly name: string;
  readonly rank: (request: RankRequest, signal: AbortSignal) => PromiseLike<Ranking>;
}

export const isSetScorer = (value: unknown): value is ToolRanker =>
  typeof value === "object" && value !== null && "rank" in value && typeof value.rank === "function";
