import * as Effect from "effect/Effect";
import { checkFields } from "../../../base/json/check-fields.ts";
import { redactor } from "../../../base/json/redact.ts";
import { ConfigurationError } from "../../../types/errors.ts";
import { isSetScorer, type Ranking, type RankRequest, type ToolRanker } from "../set-scorer.ts";
import { joinUsage } from "./join-usage.ts";
import { oneLine, toModelName } from "./one-line.ts";
import { questionHistory } from "./question-history.ts";
import { type UsageError, type UsageRuntime, usageReader } from "./usage-reader.ts";

/** Options of `usageScorer`. */
export interface UsageScorerOptions {
  /** Maximum number of runs that are read and questions that are kept, newest first. Default: 1,000. */
  readonly most?: number;
  /** The highest score that usage alone can give, 0 to 1. Default: 0.5. */
  readonly weight?: number;
  /** Ranks first, for example an `embeddingScorer`. Default: the words. */
  readonly over?: ToolRanker;
  /**
   * Milliseconds after which usage is ignored; what was read by then counts from the next query on. Default:
   * 1000.
   */
  readonly timeoutMs?: number;
}

/** Ranks tools by words and raises those that answered similar questions. */
export interface UsageScorer extends ToolRanker {
  /** Reads the ledger before the first query. Rejects with the reason if it cannot be read. */
  readonly prepare: () => Promise<void>;
  /** Adds a question that no agent run asked, and the tools that answered it. Kept in memory. */
  readonly note: (question: string, tools: readonly string[]) => void;
}

const optionFields = ["most", "weight", "over", "timeoutMs"] satisfies readonly (keyof UsageScorerOptions)[];

/** A raised tool may rank far below. */
const maxFromOtherScorer = 200;

/** `usageScorer` as Effects, which use the clock of their fiber. */
export const usageRanker = (haft: UsageRuntime, options: UsageScorerOptions = {}) => {
  const { most, weight, over, timeoutMs } = checkOptions(haft, options);
  const past = questionHistory(most);
  const read = usageReader(haft, past, most);
  const masks = redactor();

  const first = (request: RankRequest): Effect.Effect<Ranking> => {
    const words = { tools: request.lexical };
    if (over === undefined) return Effect.succeed(words);
    const wider = { ...request, limit: Math.max(request.limit, maxFromOtherScorer) };
    return Effect.tryPromise((signal) => Promise.resolve(over.rank(wider, signal))).pipe(
      Effect.catch(({ cause }) =>
        Effect.succeed({ ...words, fallback: `the scorer ${over.name} failed: ${textOf(cause)}` }),
      ),
    );
  };

  const rank = Effect.fnUntraced(function* (request: RankRequest): Effect.fn.Return<Ranking> {
    const { query, specs, limit } = request;
    const ranking = yield* first(request);
    const readError = yield* read.pipe(
      Effect.as(undefined),
      Effect.timeoutOrElse({
        duration: timeoutMs,
        orElse: () => Effect.succeed(`reading the ledger took longer than ${timeoutMs} ms`),
      }),
      Effect.catch(({ message }: UsageError) => Effect.succeed(`the ledger cannot be read: ${message}`)),
    );
    if (readError !== undefined) return withoutUsage(ranking, limit, readError);
    const like = past.like(query);
    return { ...ranking, tools: joinUsage({ specs, ranked: ranking.tools, like, weight, limit }) };
  });

  const note = (question: string, tools: readonly string[]): void => {
    if (typeof question !== "string") throw invalidOptionError("`note` takes the question as a text.");
    if (!Array.isArray(tools) || !tools.every((name) => typeof name === "string"))
      throw invalidOptionError("`note` takes the tools that answered as a list of names.");
    const names = [...new Set(tools.map(toModelName))].sort();
    past.add({ text: oneLine(String(masks.value(question))), tools: names });
  };

  return { rank, note, prepare: read };
};

const withoutUsage = ({ tools, fallback }: Ranking, limit: number, why: string): Ranking => ({
  tools: tools
    .slice(0, Math.max(0, limit))
    .map((one) => ({ ...one, reason: `${one.reason} (without what was used before: ${why})` })),
  fallback: fallback === undefined ? why : `${fallback}; ${why}`,
});

const textOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

const invalidOptionError = (what: string): ConfigurationError =>
  new ConfigurationError("invalid_config", `usageScorer: ${what}`);

const checkOptions = (haft: UsageRuntime, options: UsageScorerOptions) => {
  if (typeof haft?.runs !== "function" || typeof haft.log !== "function")
    throw invalidOptionError("the first argument must be a Haft, whose runs are read.");
  checkFields("usageScorer", options, optionFields);
  const { most = 1_000, weight = 0.5, over, timeoutMs = 1_000 } = options;
  if (!Number.isSafeInteger(most) || most < 1)
    throw invalidOptionError("`most` must be a whole number of at least 1.");
  if (typeof weight !== "number" || !(weight >= 0 && weight <= 1))
    throw invalidOptionError("`weight` must be a number from 0 to 1.");
  if (over !== undefined && !isSetScorer(over))
    throw invalidOptionError("`over` must be a scorer with { name, rank }.");
  if (!Number.isFinite(timeoutMs) || timeoutMs <= 0)
    throw invalidOptionError("`timeoutMs` must be a number of milliseconds above 0.");
  return { most, weight, over, timeoutMs };
};

/**
 * Raises tools that answered similar questions of the same principal in at least two runs. If the ledger
 * cannot be read, usage is ignored and the reason says so.
 */
export const usageScorer = (haft: UsageRuntime, options: UsageScorerOptions = {}): UsageScorer => {
  const { rank, note, prepare } = usageRanker(haft, options);
  return {
    name: options.over === undefined ? "usage" : `usage over ${options.over.name}`,
    rank: (request, signal) => Effect.runPromise(rank(request), { signal }),
    prepare: () => Effect.runPromise(prepare),
    note,
  };
};
