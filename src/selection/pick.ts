import * as Effect from "effect/Effect";
import * as Option from "effect/Option";
import { ConfigurationError } from "../words/errors.ts";
import type { ToolSpec } from "../words/spec.ts";
import type { AnyTool } from "../words/tool.ts";
import { keywordScore } from "./keyword-score.ts";

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

/** Says how well a tool fits a question. Give one to `pickTools` to use embeddings or a model of your own. */
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
  /** Scores 0 to 1 in place of `keywordScore`. At most sixteen are asked at once. */
  readonly scorer?: Scorer;
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

type CheckedPick = Required<Omit<PickOptions, "timeoutMs">> & Pick<PickOptions, "timeoutMs">;

const misuse = (what: string): ConfigurationError =>
  new ConfigurationError("invalid_config", `pickTools: ${what}`);

const shown = (value: unknown): string => (typeof value === "number" ? String(value) : typeof value);

const check = (options: PickOptions): CheckedPick => {
  if (typeof options !== "object" || options === null) throw misuse("options must be an object.");
  const unknown = Object.keys(options).find((field) => !fields.includes(field));
  if (unknown !== undefined)
    throw misuse(`\`${unknown}\` is no option. The options are: ${fields.join(", ")}.`);
  const { maxCandidates = 3, minScore = 0.05, timeoutMs } = options;
  const { allowUnsafe = false, scorer = keywordScore, debug = false } = options;
  if (!Number.isSafeInteger(maxCandidates) || maxCandidates < 1)
    throw misuse(`maxCandidates is ${shown(maxCandidates)}; it takes a whole number of at least 1.`);
  if (typeof minScore !== "number" || !(minScore >= 0 && minScore <= 1))
    throw misuse(`minScore is ${shown(minScore)}; it takes a number from 0 to 1.`);
  if (timeoutMs !== undefined && (!Number.isFinite(timeoutMs) || timeoutMs <= 0))
    throw misuse(`timeoutMs is ${shown(timeoutMs)}; it takes a number of milliseconds above 0.`);
  if (typeof allowUnsafe !== "boolean")
    throw misuse(`allowUnsafe is of type ${typeof allowUnsafe}; it takes a boolean.`);
  if (typeof scorer !== "function")
    throw misuse(`scorer is of type ${typeof scorer}; it takes a function (query, spec) => score.`);
  if (typeof debug !== "boolean" && typeof debug !== "function")
    throw misuse(`debug is of type ${typeof debug}; it takes a boolean or a function.`);
  return {
    maxCandidates,
    minScore,
    allowUnsafe,
    scorer,
    debug,
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
const judge = (query: string, spec: ToolSpec, { scorer, minScore }: CheckedPick) => {
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

/** The same as `pickTools`, as an Effect: the time comes from its clock. */
export const pick = Effect.fnUntraced(function* (
  query: unknown,
  tools: readonly (ToolSpec | AnyTool)[],
  options: PickOptions = {},
): Effect.fn.Return<readonly Picked[], ConfigurationError> {
  const { text, specs, checked } = yield* Effect.try({
    try: () => ({ text: toText(query), specs: toSpecs(tools), checked: check(options) }),
    catch: (error) => (error instanceof ConfigurationError ? error : misuse(whyOf(error))),
  });
  const { maxCandidates, allowUnsafe, debug, timeoutMs } = checked;
  const passedOver: PassedOver[] = [];
  const eligible = specs.filter((spec) => {
    const danger = allowUnsafe ? undefined : dangerOf(spec);
    if (danger !== undefined) passedOver.push({ name: spec.name, why: `unsafe: ${danger}` });
    return danger === undefined;
  });
  const judging = Effect.forEach(eligible, (spec) => judge(text, spec, checked), { concurrency: atOnce });
  const judged = yield* timeoutMs === undefined
    ? judging
    : Effect.map(
        Effect.timeoutOption(judging, timeoutMs),
        Option.getOrElse(() => late(eligible, timeoutMs)),
      );
  for (const one of judged) if ("why" in one) passedOver.push(one);
  const ranked = judged.filter((one) => "score" in one).toSorted((a, b) => b.score - a.score);
  for (const { name, score } of ranked.slice(maxCandidates))
    passedOver.push({ name, why: `its score ${score} is not among the best ${maxCandidates}` });
  if (typeof debug === "function") for (const one of passedOver) debug(one);
  return Object.freeze(ranked.slice(0, maxCandidates).map((one) => toPlace(one, debug !== false)));
});

const toPlace = ({ name, score, reason, details }: Picked, isDebug: boolean): Picked =>
  Object.freeze({ name, score, reason, ...(isDebug && details !== undefined ? { details } : {}) });

/**
 * The tools that fit a query best, best first and equals in the order given; none is an empty list. The same
 * tools and query give the same picks, and nothing given is changed.
 */
export const pickTools = (
  query: unknown,
  tools: readonly (ToolSpec | AnyTool)[],
  options?: PickOptions,
): Promise<readonly Picked[]> => Effect.runPromise(pick(query, tools, options));
