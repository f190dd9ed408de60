import * as Effect from "effect/Effect";
import * as Option from "effect/Option";
import { ConfigurationError } from "../words/errors.ts";
import type { ToolSpec } from "../words/spec.ts";
import type { AnyTool } from "../words/tool.ts";
import {
  type CheckedPick,
  checkPick,
  dangerOf,
  misuseOf,
  type PassedOver,
  type Picked,
  type PickOptions,
  type Scorer,
  type Scoring,
  shown,
  toSpecs,
  toText,
} from "./pick-options.ts";
import { type PickSource, sourceOf } from "./pick-source.ts";
import { reasonOf } from "./search.ts";
import { isSetScorer, type RankedTool, type SetScorer } from "./set-scorer.ts";
import type { IndexHit } from "./tool-index.ts";

const atOnce = 16;

const whyOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

const read = (name: string, scoring: Scoring, minScore: number): Picked | PassedOver => {
  const isNumber = typeof scoring === "number";
  const score = isNumber ? scoring : scoring.score;
  if (typeof score !== "number" || !(score >= 0 && score <= 1))
    return { name, why: `its score is ${shown(score)}, which is not a number from 0 to 1` };
  if (score < minScore) return { name, why: `its score ${score} is below ${minScore}` };
  if (isNumber) return { name, score, reason: `the scorer gives it ${score}` };
  const { reason, details } = scoring;
  return { name, score, reason: String(reason), ...(details === undefined ? {} : { details }) };
};

const isLater = (scoring: Scoring | PromiseLike<Scoring>): scoring is PromiseLike<Scoring> =>
  typeof scoring === "object" && scoring !== null && "then" in scoring;

/** A place, or why there is none. Never fails: one tool's trouble is not the others'. */
const askScorer = (query: string, spec: ToolSpec, scorer: Scorer, minScore: number) => {
  const { name } = spec;
  const broke = (error: unknown): PassedOver => ({ name, why: `the scorer failed: ${whyOf(error)}` });
  return Effect.suspend((): Effect.Effect<Picked | PassedOver> => {
    try {
      const scoring = scorer(query, spec);
      // A score that is there at once costs no promise: there may be thousands of tools.
      if (!isLater(scoring)) return Effect.succeed(read(name, scoring, minScore));
      return Effect.tryPromise({ try: () => Promise.resolve(scoring), catch: (error) => error }).pipe(
        Effect.flatMap((later) =>
          Effect.try({ try: () => read(name, later, minScore), catch: (error) => error }),
        ),
        Effect.catch((error) => Effect.succeed(broke(error))),
      );
    } catch (error) {
      return Effect.succeed(broke(error));
    }
  });
};

const late = (eligible: readonly ToolSpec[], timeoutMs: number): readonly Picked[] => {
  const reason = `not scored within ${timeoutMs} ms: taken in the order of registration`;
  return eligible.map(({ name }) => ({ name, score: 0, reason }));
};

type Judged = readonly (Picked | PassedOver)[];

/** By the words of the question: nothing to wait for. */
const byWords = (hits: readonly IndexHit[], minScore: number): Judged =>
  hits.map(({ spec, score, found, evidence }) =>
    read(spec.name, { score, reason: reasonOf(found), details: { found, evidence } }, minScore),
  );

/** What a scorer ranked, each tool once, and none that it was not shown. */
const ofThese = (tools: readonly RankedTool[], allowed: ReadonlySet<ToolSpec>): readonly RankedTool[] => {
  const left = new Set(allowed);
  return tools.filter(({ spec }) => left.delete(spec));
};

/** So many of what the words found are shown to a scorer of sets. */
const shownToScorer = 200;

const byScorer = (
  text: string,
  source: PickSource,
  eligible: readonly ToolSpec[],
  scorer: Scorer | SetScorer,
  { minScore, maxCandidates }: CheckedPick,
): Effect.Effect<Judged> => {
  if (!isSetScorer(scorer))
    return Effect.forEach(eligible, (spec) => askScorer(text, spec, scorer, minScore), {
      concurrency: atOnce,
    });
  return Effect.suspend(() => {
    const allowed = new Set(eligible);
    const lexical = source
      .search(text, shownToScorer, (spec) => allowed.has(spec))
      .map(
        ({ spec, score, found, evidence }): RankedTool => ({
          spec,
          score,
          reason: reasonOf(found),
          details: { found, evidence },
        }),
      );
    const request = { query: text, specs: eligible, lexical, limit: maxCandidates };
    return Effect.tryPromise((signal) => Promise.resolve(scorer.rank(request, signal))).pipe(
      Effect.flatMap(({ tools }) => Effect.try(() => ofThese(tools, allowed))),
      Effect.catchCause(() => Effect.succeed(lexical)),
      Effect.map((tools) => tools.map(({ spec, ...scoring }) => read(spec.name, scoring, minScore))),
    );
  });
};

/** The same as `pickTools`, as an Effect and from anywhere: the time comes from its clock. */
export const pickFrom = Effect.fnUntraced(function* (
  query: unknown,
  sourceFor: () => PickSource,
  options: PickOptions = {},
): Effect.fn.Return<readonly Picked[], ConfigurationError> {
  const { text, source, checked } = yield* Effect.try({
    try: () => ({ text: toText(query), checked: checkPick(options), source: sourceFor() }),
    catch: (error) => (error instanceof ConfigurationError ? error : misuseOf(whyOf(error))),
  });
  const { maxCandidates, minScore, allowUnsafe, scorer, debug, timeoutMs } = checked;
  const isSafe = (spec: ToolSpec): boolean => allowUnsafe || dangerOf(spec) === undefined;
  let judged: Judged;
  if (scorer === undefined) judged = byWords(source.search(text, maxCandidates, isSafe), minScore);
  else {
    const eligible = source.specs().filter(isSafe);
    const judging = byScorer(text, source, eligible, scorer, checked);
    judged = yield* timeoutMs === undefined
      ? judging
      : Effect.map(
          Effect.timeoutOption(judging, timeoutMs),
          Option.getOrElse(() => late(eligible, timeoutMs)),
        );
  }
  const ranked = judged.filter((one) => "score" in one).toSorted((a, b) => b.score - a.score);
  if (typeof debug === "function") tellPassedOver(debug, source.specs(), judged, ranked, checked);
  return Object.freeze(ranked.slice(0, maxCandidates).map((one) => toPlace(one, debug !== false)));
});

/** Whoever got no place, and why: those that are unsafe, those that a scorer refused, and those that were not best. */
const tellPassedOver = (
  tell: (passedOver: PassedOver) => void,
  specs: readonly ToolSpec[],
  judged: Judged,
  ranked: readonly Picked[],
  { maxCandidates, allowUnsafe, scorer }: CheckedPick,
): void => {
  const placed = new Set(ranked.slice(0, maxCandidates).map(({ name }) => name));
  const known = new Map(judged.map((one) => [one.name, one]));
  for (const spec of specs) {
    const { name } = spec;
    if (placed.has(name)) continue;
    const danger = allowUnsafe ? undefined : dangerOf(spec);
    const one = known.get(name);
    if (danger !== undefined) tell({ name, why: `unsafe: ${danger}` });
    else if (one !== undefined && "why" in one) tell(one);
    else if (one !== undefined)
      tell({ name, why: `its score ${one.score} is not among the best ${maxCandidates}` });
    else if (scorer === undefined) tell({ name, why: `it is not among the best ${maxCandidates}` });
  }
};

const toPlace = ({ name, score, reason, details }: Picked, isDebug: boolean): Picked =>
  Object.freeze({ name, score, reason, ...(isDebug && details !== undefined ? { details } : {}) });

/** The same as `pickTools`, as an Effect. */
export const pick = (
  query: unknown,
  tools: readonly (ToolSpec | AnyTool)[],
  options?: PickOptions,
): Effect.Effect<readonly Picked[], ConfigurationError> =>
  pickFrom(query, () => sourceOf(tools, toSpecs(tools)), options);

/**
 * The tools that fit a query best, best first and equals in the order given; none is an empty list. The same
 * tools and query give the same picks, and nothing given is changed.
 */
export const pickTools = (
  query: unknown,
  tools: readonly (ToolSpec | AnyTool)[],
  options?: PickOptions,
): Promise<readonly Picked[]> => Effect.runPromise(pick(query, tools, options));
