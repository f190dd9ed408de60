import * as Effect from "effect/Effect";
import * as Option from "effect/Option";
import { ConfigurationError } from "../words/errors.ts";
import type { ToolSpec } from "../words/spec.ts";
import type { AnyTool } from "../words/tool.ts";
import { type PickSource, sourceOf } from "./pick-source.ts";
import { reasonOf } from "./search.ts";
import { isSetScorer, type RankedTool, type SetScorer } from "./set-scorer.ts";
import type { IndexHit } from "./tool-index.ts";

/** A tool that was chosen for a question, with its score and why. */
export interface Picked {
  readonly name: string;
  /** 0 to 1. */
  readonly score: number;
  readonly reason: string;
  /** What the scorer says beside the score; only under `debug`. */
  readonly details?: unknown;
}

export type Scoring =
  | number
  | { readonly score: number; readonly reason: string; readonly details?: unknown };

/** Says how well one tool fits a question. Give one to `pickTools` to ask a model or a service of your own. */
export type Scorer = (query: string, spec: ToolSpec) => Scoring | PromiseLike<Scoring>;

/** A tool that got no place, and why. */
export interface PassedOver {
  readonly name: string;
  readonly why: string;
}

/** How `pickTools` and `haft.pick` choose. */
export interface PickOptions {
  /** How many at most. Three unless told. */
  readonly maxCandidates?: number;
  /** The least score, 0 to 1, that gets a place. 0.05 unless told. */
  readonly minScore?: number;
  /** Lets in tools of high or critical risk, destructive ones, and those without a schema. */
  readonly allowUnsafe?: boolean;
  /**
   * Scores 0 to 1 in place of the words: a function that is asked for each tool, sixteen at once, or one that ranks
   * them all together, such as `embeddingScorer` of `haft/selection`.
   */
  readonly scorer?: Scorer | SetScorer;
  /** After this long the first tools in the order of registration are taken instead. */
  readonly timeoutMs?: number;
  /** `true` adds details to each pick; a function is also told which tools got no place. */
  readonly debug?: boolean | ((passedOver: PassedOver) => void);
}

const fields: readonly string[] = [
  "maxCandidates",
  "minScore",
  "allowUnsafe",
  "scorer",
  "timeoutMs",
  "debug",
] satisfies readonly (keyof PickOptions)[];

const atOnce = 16;

type CheckedPick = Required<Omit<PickOptions, "timeoutMs" | "scorer">> & Pick<PickOptions, "timeoutMs" | "scorer">;

const misuse = (what: string): ConfigurationError =>
  new ConfigurationError("invalid_config", `pickTools: ${what}`);

const shown = (value: unknown): string => (typeof value === "number" ? String(value) : typeof value);

const check = (options: PickOptions): CheckedPick => {
  if (typeof options !== "object" || options === null) throw misuse("options must be an object.");
  const unknown = Object.keys(options).find((field) => !fields.includes(field));
  if (unknown !== undefined)
    throw misuse(`\`${unknown}\` is no option. The options are: ${fields.join(", ")}.`);
  const { maxCandidates = 3, minScore = 0.05, timeoutMs } = options;
  const { allowUnsafe = false, scorer, debug = false } = options;
  if (!Number.isSafeInteger(maxCandidates) || maxCandidates < 1)
    throw misuse(`maxCandidates is ${shown(maxCandidates)}; it takes a whole number of at least 1.`);
  if (typeof minScore !== "number" || !(minScore >= 0 && minScore <= 1))
    throw misuse(`minScore is ${shown(minScore)}; it takes a number from 0 to 1.`);
  if (timeoutMs !== undefined && (!Number.isFinite(timeoutMs) || timeoutMs <= 0))
    throw misuse(`timeoutMs is ${shown(timeoutMs)}; it takes a number of milliseconds above 0.`);
  if (typeof allowUnsafe !== "boolean")
    throw misuse(`allowUnsafe is of type ${typeof allowUnsafe}; it takes a boolean.`);
  if (scorer !== undefined && typeof scorer !== "function" && !isSetScorer(scorer))
    throw misuse(
      `scorer is of type ${typeof scorer}; it takes a function (query, spec) => score, or { name, rank }.`,
    );
  if (typeof debug !== "boolean" && typeof debug !== "function")
    throw misuse(`debug is of type ${typeof debug}; it takes a boolean or a function.`);
  return {
    maxCandidates,
    minScore,
    allowUnsafe,
    debug,
    ...(scorer === undefined ? {} : { scorer }),
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
  };
};

const toText = (query: unknown): string => {
  if (typeof query === "string") return query;
  let text: string | undefined;
  try {
    text = JSON.stringify(query);
  } catch {
    // Refused below with the sentence that says what is taken.
  }
  if (text !== undefined) return text;
  throw misuse(`the query is of type ${typeof query} and has no JSON text; it takes a text or a JSON value.`);
};

const toSpecs = (tools: readonly (ToolSpec | AnyTool)[]): readonly ToolSpec[] => {
  if (!Array.isArray(tools)) throw misuse("tools must be an array of tools or specs.");
  return tools.map((one: ToolSpec | AnyTool, index) => {
    const spec = one !== null && typeof one === "object" && "spec" in one ? one.spec : one;
    if (typeof spec === "object" && spec !== null && typeof spec.name === "string") return spec;
    throw misuse(`tools[${index}] is neither a tool nor a spec.`);
  });
};

const dangerOf = ({ risk, annotations, noSchemaMode }: ToolSpec): string | undefined => {
  if (risk === "high" || risk === "critical") return `its risk is ${risk}`;
  if (annotations.destructive === true) return "it is destructive";
  return noSchemaMode === undefined ? undefined : "it has no schema";
};

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
const judge = (query: string, spec: ToolSpec, scorer: Scorer, minScore: number) => {
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
    return Effect.forEach(eligible, (spec) => judge(text, spec, scorer, minScore), { concurrency: atOnce });
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
      Effect.map(({ tools }) => tools),
      Effect.catch(() => Effect.succeed(lexical)),
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
    try: () => ({ text: toText(query), checked: check(options), source: sourceFor() }),
    catch: (error) => (error instanceof ConfigurationError ? error : misuse(whyOf(error))),
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
