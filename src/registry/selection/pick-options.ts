import { type ToolOrClass, toTool } from "../../tools/decorator.ts";
import { ConfigurationError } from "../../types/errors.ts";
import type { ToolSpec } from "../../types/spec.ts";
import { isSetScorer, type ToolRanker } from "./set-scorer.ts";

/** A tool that was chosen for a question, with its score and why. */
export interface PickedTool {
  readonly name: string;
  /** 0 to 1. */
  readonly score: number;
  readonly reason: string;
  /** What the scorer says beside the score; only under `debug`. */
  readonly details?: unknown;
}

/** A tool, a class with `@Tool`, or a spec. */
export type Pickable = ToolSpec | ToolOrClass;

export type ToolScore =
  | number
  | { readonly score: number; readonly reason: string; readonly details?: unknown };

/** Says how well one tool fits a question. Give one to `pickTools` to ask a model or a service of your own. */
export type Scorer = (query: string, spec: ToolSpec) => ToolScore | PromiseLike<ToolScore>;

/** A tool that got no place, and why. */
export interface RejectedTool {
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
  readonly scorer?: Scorer | ToolRanker;
  /** After this long the first tools in the order of registration are taken instead. */
  readonly timeoutMs?: number;
  /** `true` adds details to each pick; a function is also told which tools got no place. */
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

/** The same with what holds unless told. */
export type CheckedPickOptions = Required<Omit<PickOptions, "timeoutMs" | "scorer">> &
  Pick<PickOptions, "timeoutMs" | "scorer">;

export const pickOptionError = (what: string, door = "pickTools"): ConfigurationError =>
  new ConfigurationError("invalid_config", `${door}: ${what}`);

export const describeOption = (value: unknown): string =>
  typeof value === "number" ? String(value) : typeof value;

/** Throws where an option makes no sense, or is none of those that are taken. */
export const checkPickOptions = (
  options: PickOptions,
  taken: readonly string[] = pickFields,
  door = "pickTools",
): CheckedPickOptions => {
  const misuse = (what: string): ConfigurationError => pickOptionError(what, door);
  if (typeof options !== "object" || options === null || Array.isArray(options))
    throw misuse("options must be an object.");
  const unknown = Object.keys(options).find((field) => !taken.includes(field));
  if (unknown !== undefined)
    throw misuse(`\`${unknown}\` is no option. The options are: ${taken.join(", ")}.`);
  const { maxCandidates = 3, minScore = 0.05, timeoutMs } = options;
  const { allowUnsafe = false, scorer, debug = false } = options;
  if (!Number.isSafeInteger(maxCandidates) || maxCandidates < 1)
    throw misuse(`maxCandidates is ${describeOption(maxCandidates)}; it takes a whole number of at least 1.`);
  if (typeof minScore !== "number" || !(minScore >= 0 && minScore <= 1))
    throw misuse(`minScore is ${describeOption(minScore)}; it takes a number from 0 to 1.`);
  if (timeoutMs !== undefined && (!Number.isFinite(timeoutMs) || timeoutMs <= 0))
    throw misuse(`timeoutMs is ${describeOption(timeoutMs)}; it takes a number of milliseconds above 0.`);
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

export const toQueryText = (query: unknown): string => {
  if (typeof query === "string") return query;
  let text: string | undefined;
  try {
    text = JSON.stringify(query);
  } catch {
    // Refused below with the sentence that says what is taken.
  }
  if (text !== undefined) return text;
  throw pickOptionError(
    `the query is of type ${typeof query} and has no JSON text; it takes a text or a JSON value.`,
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

/** Why a tool is not safe to pick, if it is not. */
export const unsafeReason = ({ risk, annotations, noSchemaMode }: ToolSpec): string | undefined => {
  if (risk === "high" || risk === "critical") return `its risk is ${risk}`;
  if (annotations?.destructive === true) return "it is destructive";
  return noSchemaMode === undefined ? undefined : "it has no schema";
};
