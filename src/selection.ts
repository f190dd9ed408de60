export type { Embed, Embedder, Vector } from "./selection/embeddings/embedder.ts";
export {
  type EmbeddingScorer,
  type EmbeddingScorerOptions,
  embeddingScorer,
} from "./selection/embeddings/embedding-scorer.ts";
export { type FileVectorStoreOptions, fileVectorStore } from "./selection/embeddings/file-vector-store.ts";
export type { CosineRange } from "./selection/embeddings/join-scores.ts";
export type { VectorStore } from "./selection/embeddings/vector-store.ts";
export type { FoundTerm, TermPlace } from "./selection/index/found-in.ts";
export type { FoundTool, ToolSearch } from "./selection/search.ts";
export { type SearchOptions, searchTools } from "./selection/search-tools.ts";
export type { RankedTool, Ranking, RankRequest, SetScorer } from "./selection/set-scorer.ts";
export type { UsageRuntime } from "./selection/usage/usage-reader.ts";
export { type UsageScorer, type UsageScorerOptions, usageScorer } from "./selection/usage/usage-scorer.ts";
