import * as Effect from "effect/Effect";
import * as Option from "effect/Option";
import { ConfigurationError } from "../../types/errors.ts";
import type { ToolSpec } from "../../types/tool.ts";
import {
  type CheckedPickOptions,
  checkPickOptions,
  describeOption,
  isSetScorer,
  type Pickable,
  type PickedTool,
  type PickOptions,
  type PickSource,
  pickOptionError,
  pickSource,
  type RankedTool,
  type RejectedTool,
  type Scorer,
  type ToolRanker,
  type ToolScore,
  toQueryText,
  toSpecs,
  unsafeReason,
} from "./pick-options.ts";
import { matchReason } from "./search-index.ts";
import type { IndexHit } from "./tool-index.ts";

const scorerConcurrency = 16;

const errorText = (error: unknown): string => (error instanceof Error ? error.message : String(error));

const toPicked = (name: string, scoring: ToolScore, minScore: number): PickedTool | RejectedTool => {
  const isNumber = typeof scoring === "number";
  const score = isNumber ? scoring : scoring.score;
  if (typeof score !== "number" || !(score >= 0 && score <= 1))
    return { name, why: `its score is ${describeOption(score)}, which is not a number from 0 to 1` };
  if (score < minScore) return { name, why: `its score ${score} is below ${minScore}` };
  if (isNumber) return { name, score, reason: `the scorer returned ${score}` };
  const { reason, details } = scoring;
  return { name, score, reason: String(reason), ...(details === undefined ? {} : { details }) };
};

const isPromise = (scoring: ToolScore | PromiseLike<ToolScore>): scoring is PromiseLike<ToolScore> =>
  typeof scoring === "object" && scoring !== null && "then" in scoring;

/** Never fails, so that other tools are not affected. */
const scoreTool = (query: string, spec: ToolSpec, scorer: Scorer, minScore: number) => {
  const { name } = spec;
  const toScorerFailure = (error: unknown): ScorerFailure => ({
    name,
    why: `the scorer failed: ${errorText(error)}`,
    isFailure: true,
  });
  return Effect.suspend((): Effect.Effect<PickedTool | RejectedTool | ScorerFailure> => {
    try {
      const scoring = scorer(query, spec);
      if (!isPromise(scoring)) return Effect.succeed(toPicked(name, scoring, minScore));
      return Effect.tryPromise({ try: () => Promise.resolve(scoring), catch: (error) => error }).pipe(
        Effect.flatMap((later) =>
          Effect.try({ try: () => toPicked(name, later, minScore), catch: (error) => error }),
        ),
        Effect.catch((error) => Effect.succeed(toScorerFailure(error))),
      );
    } catch (error) {
      return Effect.succeed(toScorerFailure(error));
    }
  });
};

const orRegistrationOrder = (scored: ScoredTools, eligible: readonly ToolSpec[]): ScoredTools => {
  const failed = scored.filter((one) => "isFailure" in one);
  if (failed.length === 0 || failed.length < scored.length) return scored;
  const reason = `${failed[0]!.why}; in the order of registration`;
  return eligible.map(({ name }) => ({ name, score: 0, reason }));
};

const timedOutPicks = (eligible: readonly ToolSpec[], timeoutMs: number): readonly PickedTool[] => {
  const reason = `not scored within ${timeoutMs} ms: in the order of registration`;
  return eligible.map(({ name }) => ({ name, score: 0, reason }));
};

interface ScorerFailure extends RejectedTool {
  readonly isFailure: true;
}

type ScoredTools = readonly (PickedTool | RejectedTool | ScorerFailure)[];

const scoreByWords = (hits: readonly IndexHit[], minScore: number): ScoredTools =>
  hits.map(({ spec, score, found, evidence }) =>
    toPicked(spec.name, { score, reason: matchReason(found), details: { found, evidence } }, minScore),
  );

const withoutUnknown = (
  tools: readonly RankedTool[],
  allowed: ReadonlySet<ToolSpec>,
): readonly RankedTool[] => {
  const left = new Set(allowed);
  return tools.filter(({ spec }) => left.delete(spec));
};

const maxShownToScorer = 200;

const scoreWithScorer = (
  text: string,
  source: PickSource,
  eligible: readonly ToolSpec[],
  scorer: Scorer | ToolRanker,
  { minScore, maxCandidates }: CheckedPickOptions,
): Effect.Effect<ScoredTools> => {
  if (!isSetScorer(scorer))
    return Effect.forEach(eligible, (spec) => scoreTool(text, spec, scorer, minScore), {
      concurrency: scorerConcurrency,
    });
  return Effect.suspend(() => {
    const allowed = new Set(eligible);
    const lexical = source
      .search(text, maxShownToScorer, (spec) => allowed.has(spec))
      .map(
        ({ spec, score, found, evidence }): RankedTool => ({
          spec,
          score,
          reason: matchReason(found),
          details: { found, evidence },
        }),
      );
    const request = { query: text, specs: eligible, lexical, limit: maxCandidates };
    return Effect.tryPromise((signal) => Promise.resolve(scorer.rank(request, signal))).pipe(
      Effect.flatMap(({ tools }) => Effect.try(() => withoutUnknown(tools, allowed))),
      Effect.catchCause(() => Effect.succeed(lexical)),
      Effect.map((tools) => tools.map(({ spec, ...scoring }) => toPicked(spec.name, scoring, minScore))),
    );
  });
};

export const pickFromSource = Effect.fnUntraced(function* (
  query: unknown,
  sourceFor: () => PickSource,
  options: PickOptions = {},
): Effect.fn.Return<readonly PickedTool[], ConfigurationError> {
  const { text, source, checked } = yield* Effect.try({
    try: () => ({ text: toQueryText(query), checked: checkPickOptions(options), source: sourceFor() }),
    catch: (error) => (error instanceof ConfigurationError ? error : pickOptionError(errorText(error))),
  });
  const { maxCandidates, minScore, allowUnsafe, scorer, debug, timeoutMs } = checked;
  const isSafe = (spec: ToolSpec): boolean => allowUnsafe || unsafeReason(spec) === undefined;
  let scored: ScoredTools;
  if (scorer === undefined) scored = scoreByWords(source.search(text, maxCandidates, isSafe), minScore);
  else {
    const eligible = source.specs().filter(isSafe);
    const judging = Effect.map(scoreWithScorer(text, source, eligible, scorer, checked), (judged) =>
      orRegistrationOrder(judged, eligible),
    );
    scored = yield* timeoutMs === undefined
      ? judging
      : Effect.map(
          Effect.timeoutOption(judging, timeoutMs),
          Option.getOrElse(() => timedOutPicks(eligible, timeoutMs)),
        );
  }
  const ranked = scored.filter((one) => "score" in one).toSorted((a, b) => b.score - a.score);
  if (typeof debug === "function") reportRejected(debug, source.specs(), scored, ranked, checked);
  return Object.freeze(ranked.slice(0, maxCandidates).map((one) => toResult(one, debug !== false)));
});

const reportRejected = (
  tell: (passedOver: RejectedTool) => void,
  specs: readonly ToolSpec[],
  judged: ScoredTools,
  ranked: readonly PickedTool[],
  { maxCandidates, allowUnsafe, scorer }: CheckedPickOptions,
): void => {
  const placed = new Set(ranked.slice(0, maxCandidates).map(({ name }) => name));
  const known = new Map(judged.map((one) => [one.name, one]));
  for (const spec of specs) {
    const { name } = spec;
    if (placed.has(name)) continue;
    const danger = allowUnsafe ? undefined : unsafeReason(spec);
    const one = known.get(name);
    if (danger !== undefined) tell({ name, why: `unsafe: ${danger}` });
    else if (one !== undefined && "why" in one) tell({ name, why: one.why });
    else if (one !== undefined)
      tell({ name, why: `its score ${one.score} is not among the top ${maxCandidates}` });
    else if (scorer === undefined) tell({ name, why: `it is not among the top ${maxCandidates}` });
  }
};

const toResult = ({ name, score, reason, details }: PickedTool, isDebug: boolean): PickedTool =>
  Object.freeze({ name, score, reason, ...(isDebug && details !== undefined ? { details } : {}) });

export const pickToolsEffect = (
  query: unknown,
  tools: readonly Pickable[],
  options?: PickOptions,
): Effect.Effect<readonly PickedTool[], ConfigurationError> =>
  pickFromSource(query, () => pickSource(tools, toSpecs(tools)), options);

/** Returns the tools that fit a query best, best first. Deterministic. */
export const runPickTools = (
  query: unknown,
  tools: readonly Pickable[],
  options?: PickOptions,
): Promise<readonly PickedTool[]> => Effect.runPromise(pickToolsEffect(query, tools, options));
