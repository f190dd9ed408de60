/** How an agent's model finds tools that it is not shown. */
export interface ToolSearchOptions {
  /** Names of tools that are shown from the start. Unless set: none. */
  readonly always?: readonly string[];
  /** Maximum number of results of a search. Unless set: 5. */
  readonly maxCandidates?: number;
  /** Minimum score of a result, 0 to 1. Unless set: 0.05. */
  readonly minScore?: number;
  /** Maximum number of tools that a conversation may load. Unless set: 30. */
  readonly maxLoaded?: number;
  /** `provider` uses the provider's own search where it has one, and Haft's elsewhere. Unless set: `haft`. */
  readonly by?: "haft" | "provider";
}

export const toolSearchDefaults: Required<ToolSearchOptions> = Object.freeze({
  always: Object.freeze([]),
  maxCandidates: 5,
  minScore: 0.05,
  maxLoaded: 30,
  by: "haft",
});

export const explainInvalidToolSearch = (given: unknown): string | undefined => {
  if (given === undefined || given === true) return undefined;
  if (typeof given !== "object" || given === null || Array.isArray(given)) {
    return "must be true or an object, such as { always: [] }";
  }
  const unknownField = Object.keys(given).find((field) => !Object.hasOwn(toolSearchDefaults, field));
  if (unknownField !== undefined) {
    const known = Object.keys(toolSearchDefaults).join(", ");
    return `has an unknown field \`${unknownField}\`. The fields are: ${known}`;
  }
  const { always, maxCandidates, minScore, maxLoaded, by } = { ...toolSearchDefaults, ...given };
  if (!Array.isArray(always) || !always.every((name) => typeof name === "string" && name !== "")) {
    return "has `always`, which must be a list of the agent's tools by name";
  }
  if (!isCount(maxCandidates)) return "has `maxCandidates`, which must be a whole number of at least 1";
  if (typeof minScore !== "number" || !(minScore >= 0 && minScore <= 1)) {
    return "has `minScore`, which must be a number from 0 to 1";
  }
  if (!isCount(maxLoaded)) return "has `maxLoaded`, which must be a whole number of at least 1";
  return by === "haft" || by === "provider" ? undefined : 'has `by`, which must be "haft" or "provider"';
};

const isCount = (value: unknown): boolean => Number.isSafeInteger(value) && (value as number) >= 1;

export const searchToolName = "search_tools";
export const loadToolName = "load_tools";
