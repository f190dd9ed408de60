export type { Embed, Embedder, Vector } from "../registry/selection/embeddings/embedder.ts";
export {
  type EmbeddingScorer,
  type EmbeddingScorerOptions,
  embeddingScorer,
} from "../registry/selection/embeddings/embedding-scorer.ts";
export {
  type FileVectorStoreOptions,
  fileVectorStore,
} from "../registry/selection/embeddings/file-vector-store.ts";
export type { CosineRange } from "../registry/selection/embeddings/join-scores.ts";
export type { VectorStore } from "../registry/selection/embeddings/tool-vectors.ts";
export type { MatchedTerm, TermLocation } from "../registry/selection/index/index-data.ts";
export type { RankedTool, Ranking, RankRequest, ToolRanker } from "../registry/selection/pick-options.ts";
export type { ToolSearchHit, ToolSearchResults } from "../registry/selection/search-index.ts";
export { type SearchOptions, searchTools } from "../registry/selection/search-tools.ts";
