import type { ToolSpec } from "../../types/spec.ts";

/** A tool and how well it fits. */
export interface RankedTool {
  readonly spec: ToolSpec;
  /** 0 to 1: how likely it is that the tool is meant. */
  readonly score: number;
  readonly reason: string;
  /** What is said beside the score, under `debug`. */
  readonly details?: unknown;
}

/** What a scorer of sets is asked. */
export interface RankRequest {
  readonly query: string;
  /** Every tool that may be chosen. */
  readonly specs: readonly ToolSpec[];
  /** What the words of the question found among them, best first: some two hundred are enough. */
  readonly lexical: readonly RankedTool[];
  /** How many are wanted at most. */
  readonly limit: number;
}

/** What a scorer of sets answers with. */
export interface Ranking {
  /** Best first, scores never rising, at most `limit`. */
  readonly tools: readonly RankedTool[];
  /** Why the words alone decided, where they did. */
  readonly fallback?: string;
}

/**
 * Ranks tools that it sees all at once, as embeddings must: one question, one call. Where it throws, what the words
 * found stands.
 */
export interface ToolRanker {
  /** Shown where its reasons are. */
  readonly name: string;
  readonly rank: (request: RankRequest, signal: AbortSignal) => PromiseLike<Ranking>;
}

export const isSetScorer = (value: unknown): value is ToolRanker =>
  typeof value === "object" && value !== null && "rank" in value && typeof value.rank === "function";
