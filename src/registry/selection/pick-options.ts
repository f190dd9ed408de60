import { type ToolOrClass, toTool } from "../../tools/decorator.ts";
import { ConfigurationError } from "../../types/errors.ts";
import type { ToolSpec } from "../../types/tool.ts";
import { type IndexHit, type ToolIndex, toolIndex } from "./tool-index.ts";

/** A tool that was picked for a query, with its score and the reason. */
export interface PickedTool {
  readonly name: string;
  /** 0 to 1. */
  readonly score: number;
  readonly reason: string;
  /** Details of the scorer; only with `debug`. */
  readonly details?: unknown;
}

export type Pickable = ToolSpec | ToolOrClass;

export type ToolScore =
  | number
  | { readonly score: number; readonly reason: string; readonly details?: unknown };

/** Scores how well one tool fits a query. Pass one to `pickTools` to use your own model or service. */
export type Scorer = (query: string, spec: ToolSpec) => ToolScore | PromiseLike<ToolScore>;

export interface RejectedTool {
  readonly name: string;
  readonly why: string;
}

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

/** Options of `pickTools` and `haft.pick`. */
export interface PickOptions {
  /** Maximum number of tools. Default: 3. */
  readonly maxCandidates?: number;
  /** Minimum score, 0 to 1. Default: 0.05. */
  readonly minScore?: number;
  /** Allows tools of high or critical risk, destructive tools and tools without a schema. */
  readonly allowUnsafe?: boolean;
  /**
   * Replaces the scoring by words: a function that scores one tool from 0 to 1, or a ranker of all tools,
   * such as `embeddingScorer`.
   */
  readonly scorer?: Scorer | ToolRanker;
  /** Milliseconds after which the first tools in the order of registration are picked instead. */
  readonly timeoutMs?: number;
  /** `true` adds details to each pick; a function is called with the tools that were not picked. */
  readonly debug?: boolean | ((passedOver: RejectedTool) => void);
}

const pickFields: readonly string[] = [
  "maxCandidates",
  "minScore",
  "allowUnsafe",
  "scorer",
  "timeoutMs",
  "debug",
] satisfies readonly (keyof PickOptions)[];

export type CheckedPickOptions = Required<Omit<PickOptions, "timeoutMs" | "scorer">> &
  Pick<PickOptions, "timeoutMs" | "scorer">;

export const pickOptionError = (what: string, functionName = "pickTools"): ConfigurationError =>
  new ConfigurationError("invalid_config", `${functionName}: ${what}`);

export const describeOption = (value: unknown): string =>
  typeof value === "number" ? String(value) : typeof value;

export const checkPickOptions = (
  options: PickOptions,
  taken: readonly string[] = pickFields,
  functionName = "pickTools",
): CheckedPickOptions => {
  const misuse = (what: string): ConfigurationError => pickOptionError(what, functionName);
  if (typeof options !== "object" || options === null || Array.isArray(options))
    throw misuse("options must be an object.");
  const unknown = Object.keys(options).find((field) => !taken.includes(field));
  if (unknown !== undefined)
    throw misuse(`unknown option \`${unknown}\`. The options are: ${taken.join(", ")}.`);
  const { maxCandidates = 3, minScore = 0.05, timeoutMs } = options;
  const { allowUnsafe = false, scorer, debug = false } = options;
  if (!Number.isSafeInteger(maxCandidates) || maxCandidates < 1)
    throw misuse(
      `maxCandidates is ${describeOption(maxCandidates)}; it must be a whole number of at least 1.`,
    );
  if (typeof minScore !== "number" || !(minScore >= 0 && minScore <= 1))
    throw misuse(`minScore is ${describeOption(minScore)}; it must be a number from 0 to 1.`);
  if (timeoutMs !== undefined && (!Number.isFinite(timeoutMs) || timeoutMs <= 0))
    throw misuse(`timeoutMs is ${describeOption(timeoutMs)}; it must be a number of milliseconds above 0.`);
  if (typeof allowUnsafe !== "boolean")
    throw misuse(`allowUnsafe is of type ${typeof allowUnsafe}; it must be a boolean.`);
  if (scorer !== undefined && typeof scorer !== "function" && !isSetScorer(scorer))
    throw misuse(
      `scorer is of type ${typeof scorer}; it must be a function (query, spec) => score, or { name, rank }.`,
    );
  if (typeof debug !== "boolean" && typeof debug !== "function")
    throw misuse(`debug is of type ${typeof debug}; it must be a boolean or a function.`);
  return {
    maxCandidates,
    minScore,
    allowUnsafe,
    debug,
    ...(scorer === undefined ? {} : { scorer }),
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
  };
};

export const toQueryText = (query: unknown): string => {
  if (typeof query === "string") return query;
  let text: string | undefined;
  try {
    text = JSON.stringify(query);
  } catch {
    // Rejected below.
  }
  if (text !== undefined) return text;
  throw pickOptionError(
    `the query is of type ${typeof query} and cannot be written as JSON; it must be a string or a JSON value.`,
  );
};

export const toSpecs = (tools: readonly Pickable[]): readonly ToolSpec[] => {
  if (!Array.isArray(tools))
    throw pickOptionError("tools must be an array of tools, classes with @Tool or specs.");
  return tools.map((one: Pickable, index) => {
    const tool = typeof one === "function" ? toTool(one) : one;
    const spec = typeof tool === "object" && tool !== null && "spec" in tool ? tool.spec : tool;
    if (typeof spec === "object" && spec !== null && typeof spec.name === "string") return spec;
    throw pickOptionError(`tools[${index}] is not a tool, a class with @Tool or a spec.`);
  });
};

export const unsafeReason = ({ risk, annotations, noSchemaMode }: ToolSpec): string | undefined => {
  if (risk === "high" || risk === "critical") return `its risk is ${risk}`;
  if (annotations?.destructive === true) return "it is destructive";
  return noSchemaMode === undefined ? undefined : "it has no schema";
};

export interface PickSource {
  readonly search: (
    text: string,
    limit: number,
    isAllowed: (spec: ToolSpec) => boolean,
  ) => readonly IndexHit[];
  readonly specs: () => readonly ToolSpec[];
}

interface CachedIndex {
  readonly specs: readonly ToolSpec[];
  readonly index: ToolIndex;
}

const indexCache = new WeakMap<readonly unknown[], CachedIndex>();

/** The index is cached while the list contains the same immutable tools. */
export const pickSource = (list: readonly unknown[], specs: readonly ToolSpec[]): PickSource => {
  let index: ToolIndex | undefined;
  return {
    specs: () => specs,
    search: (text, limit, isAllowed) => {
      index ??= cachedIndexOf(list, specs);
      return index.search(text, { limit, isAllowed: (_, spec) => isAllowed(spec) });
    },
  };
};

const cachedIndexOf = (list: readonly unknown[], specs: readonly ToolSpec[]): ToolIndex => {
  const before = indexCache.get(list);
  if (before !== undefined && isSame(before.specs, specs)) return before.index;
  const index = toolIndex();
  for (const [place, spec] of specs.entries()) index.add(String(place), spec);
  if (specs.every(isImmutableSpec)) indexCache.set(list, { specs, index });
  return index;
};

const isSame = (before: readonly ToolSpec[], now: readonly ToolSpec[]): boolean =>
  before.length === now.length && before.every((spec, place) => spec === now[place]);

const immutableSpecs = new WeakSet<ToolSpec>();

const isImmutableSpec = (spec: ToolSpec): boolean => {
  if (immutableSpecs.has(spec)) return true;
  if (!isDeeplyFrozen(spec, maxFrozenDepth)) return false;
  immutableSpecs.add(spec);
  return true;
};

/** Schemas are not read deeper than this. */
const maxFrozenDepth = 12;

const isDeeplyFrozen = (value: unknown, depth: number): boolean => {
  if (typeof value !== "object" || value === null) return true;
  return (
    depth > 0 && Object.isFrozen(value) && Object.values(value).every((one) => isDeeplyFrozen(one, depth - 1))
  );
};
