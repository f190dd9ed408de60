import * as Effect from "effect/Effect";
import { checkFields } from "../../../base/json/check-fields.ts";
import { ConfigurationError } from "../../../types/errors.ts";
import type { AnyTool, ToolSpec } from "../../../types/tool.ts";
import type { Ranking, RankRequest, ToolRanker } from "../pick-options.ts";
import { cosine, type Embedder, type EmbeddingError, embedTexts } from "./embedder.ts";
import { type CosineRange, joinScores } from "./join-scores.ts";
import { queryTextToEmbed, toolVectors, type VectorStore } from "./tool-vectors.ts";

/** Options of `embeddingScorer`: an embedder, and how its similarities are combined with words. */
export interface EmbeddingScorerOptions extends Embedder {
  /** Weight of similarity against words, 0 to 1. Default: 0.35. */
  readonly weight?: number;
  /** Cosines of unrelated and of equivalent texts, which depend on the model. Default: 0.2 and 0.8. */
  readonly range?: CosineRange;
  /** Stores vectors of tools beyond the process, for example `fileVectorStore`. Queries are not stored. */
  readonly cache?: VectorStore;
  /** Maximum number of vectors in memory; those of the tools in use always stay. Default: 10,000. */
  readonly maxVectors?: number;
  /** Maximum number of texts per call of the embedder. Default: 256. */
  readonly batchSize?: number;
  /**
   * Milliseconds after which words alone decide. Pending vectors are still computed, for later queries.
   * Default: 1000.
   */
  readonly timeoutMs?: number;
  /**
   * Milliseconds after which one call of the embedder or the store fails. Its signal is aborted, and the next
   * query tries again. Default: 30,000.
   */
  readonly callTimeoutMs?: number;
}

/** Ranks tools by words and by similarity of meaning. */
export interface EmbeddingScorer extends ToolRanker {
  /**
   * Embeds tools before the first query. Rejects with the reason if the embedder fails or exceeds
   * `callTimeoutMs`.
   */
  readonly prepare: (tools: readonly (ToolSpec | AnyTool)[]) => Promise<void>;
}

const optionFields = [
  "name",
  "embed",
  "weight",
  "range",
  "cache",
  "maxVectors",
  "batchSize",
  "timeoutMs",
  "callTimeoutMs",
] satisfies readonly (keyof EmbeddingScorerOptions)[];

const maxCachedQueries = 64;

/** `embeddingScorer` as Effects, which use the clock of their fiber. */
export const embeddingRanker = (options: EmbeddingScorerOptions) => {
  const { name, embed, weight, range, cache, maxVectors, batchSize, timeoutMs, callTimeoutMs } =
    checkOptions(options);
  const embedder = { name, embed, callTimeoutMs };
  const vectors = toolVectors({ embedder, store: cache, batchSize, maxVectors });
  const questions = new Map<string, readonly Float32Array[]>();

  const embedQuery = Effect.fnUntraced(function* (query: string) {
    const text = queryTextToEmbed(query);
    const known = questions.get(text);
    if (known !== undefined) return known;
    const found = yield* embedTexts(embedder, queryParts(text), undefined);
    questions.set(text, found);
    if (questions.size > maxCachedQueries) questions.delete(questions.keys().next().value!);
    return found;
  });

  const ranked = Effect.fnUntraced(function* ({ query, specs, lexical, limit }: RankRequest) {
    const queryVectors = yield* embedQuery(query);
    const known = yield* vectors.vectorsOf(specs, queryVectors[0]!.length);
    const cosines = known.map((vector) => greatestCosine(queryVectors, vector));
    return { tools: joinScores({ specs, cosines, lexical, limit, weight, range, name }) };
  });

  const rank = (request: RankRequest): Effect.Effect<Ranking> => {
    const { query, specs, limit } = request;
    if (query.trim() === "" || specs.length === 0 || limit < 1)
      return Effect.succeed(lexicalRanking(request));
    return ranked(request).pipe(
      Effect.timeoutOrElse({
        duration: timeoutMs,
        orElse: () =>
          Effect.succeed(lexicalRanking(request, `the embedder ${name} took longer than ${timeoutMs} ms`)),
      }),
      Effect.catch((fault: EmbeddingError) => Effect.succeed(lexicalRanking(request, fault.message))),
    );
  };

  const prepare = (
    tools: readonly (ToolSpec | AnyTool)[],
  ): Effect.Effect<void, EmbeddingError | ConfigurationError> =>
    Effect.asVoid(Effect.flatMap(readSpecs(tools), (specs) => vectors.vectorsOf(specs)));

  return { rank, prepare };
};

const greatestCosine = (parts: readonly Float32Array[], vector: Float32Array): number => {
  let most = -1;
  for (const part of parts) most = Math.max(most, cosine(part, vector));
  // Rounding can give equal vectors a cosine above 1.
  return Math.min(1, most);
};

const lexicalRanking = ({ lexical, limit }: RankRequest, why?: string): Ranking => {
  const tools = lexical.slice(0, Math.max(0, limit));
  if (why === undefined) return { tools };
  return {
    tools: tools.map((one) => ({ ...one, reason: `${one.reason} (words only: ${why})` })),
    fallback: why,
  };
};

const invalidOptionError = (what: string): ConfigurationError =>
  new ConfigurationError("invalid_config", `embeddingScorer: ${what}`);

const readSpecs = (tools: unknown): Effect.Effect<readonly ToolSpec[], ConfigurationError> => {
  if (!Array.isArray(tools))
    return Effect.fail(invalidOptionError(`prepare requires a list of tools or specs, not ${typeof tools}.`));
  const specs = Array.from(tools, specOf);
  const odd = specs.indexOf(undefined);
  return odd === -1
    ? Effect.succeed(specs as readonly ToolSpec[])
    : Effect.fail(invalidOptionError(`entry ${odd} of the list for prepare is neither a tool nor a spec.`));
};

const specOf = (one: Partial<ToolSpec & AnyTool> | null | undefined): ToolSpec | undefined => {
  const spec: Partial<ToolSpec> | null | undefined =
    typeof one === "object" && one !== null && "spec" in one ? one.spec : one;
  const isSpec = typeof spec?.name === "string" && typeof spec.description === "string";
  return isSpec ? (spec as ToolSpec) : undefined;
};

const checkOptions = (options: EmbeddingScorerOptions) => {
  checkFields("embeddingScorer", options, optionFields);
  const { name, embed, weight = 0.35, range = [0.2, 0.8], cache } = options;
  const { maxVectors = 10_000, batchSize = 256, timeoutMs = 1000, callTimeoutMs = 30_000 } = options;
  if (typeof name !== "string" || name === "")
    throw invalidOptionError("`name` must be the name of the model; vectors are stored under it.");
  if (typeof embed !== "function")
    throw invalidOptionError("`embed` must be a function of texts that returns a promise of vectors.");
  if (typeof weight !== "number" || !(weight >= 0 && weight <= 1))
    throw invalidOptionError("`weight` must be a number from 0 to 1.");
  if (!Array.isArray(range) || range.length !== 2 || !range.every(Number.isFinite) || !(range[0] < range[1]))
    throw invalidOptionError("`range` must be two cosines, the lower first.");
  if (cache !== undefined && (typeof cache?.get !== "function" || typeof cache.set !== "function"))
    throw invalidOptionError("`cache` must have the functions get and set.");
  if (!Number.isSafeInteger(maxVectors) || maxVectors < 0)
    throw invalidOptionError("`maxVectors` must be a whole number of at least 0.");
  if (!Number.isSafeInteger(batchSize) || batchSize < 1)
    throw invalidOptionError("`batchSize` must be a whole number of at least 1.");
  if (!Number.isFinite(timeoutMs) || timeoutMs <= 0)
    throw invalidOptionError("`timeoutMs` must be a number of milliseconds above 0.");
  if (!Number.isFinite(callTimeoutMs) || callTimeoutMs <= 0)
    throw invalidOptionError("`callTimeoutMs` must be a number of milliseconds above 0.");
  return { name, embed, weight, range, cache, maxVectors, batchSize, timeoutMs, callTimeoutMs };
};

/**
 * Ranks tools by meaning and words, with any embedding function. Each tool is embedded once; a query costs
 * one call. If the embedder fails or is slow, words alone decide, and the reason says so.
 */
export const embeddingScorer = (options: EmbeddingScorerOptions): EmbeddingScorer => {
  const { rank, prepare } = embeddingRanker(options);
  return {
    name: options.name,
    rank: (request, signal) => Effect.runPromise(rank(request), { signal }),
    prepare: (tools) => Effect.runPromise(prepare(tools)),
  };
};

const maxQueryParts = 8;
const minPartWords = 3;
const partSeparator =
  /(?<=[.?!;。？！；])\s*|\n+|,?\s+(?:and then|and also|as well as|additionally|finally|then|also|and)\s+/iu;

/** One vector for several intents is near none of them, so each part has its own. */
export const queryParts = (query: string): readonly string[] => {
  const parts = query
    .split(partSeparator)
    .map((part) => part.trim())
    .filter((part) => part.split(/\s+/, minPartWords).length === minPartWords);
  return parts.length < 2 ? [query] : [...new Set([query, ...parts.slice(0, maxQueryParts)])];
};
