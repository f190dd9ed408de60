/** How an agent's model finds tools that it is not shown. */
export interface ToolSearchOptions {
  /** Names of tools that are shown from the start. Unless set: none. */
  readonly always?: readonly string[];
  /** How many tools a search finds at most. Unless set: 5. */
  readonly maxCandidates?: number;
  /** 0 to 1: how well a tool must fit to be found. Unless set: 0.05. */
  readonly minScore?: number;
  /** How many tools a conversation may load. Unless set: 30. */
  readonly maxLoaded?: number;
  /** `provider` leaves the search to providers that have one; with all others it is Haft's. Unless set: `haft`. */
  readonly by?: "haft" | "provider";
}

/** What an agent says of its search, with what it leaves out. */
export const toolSearchDefaults: Required<ToolSearchOptions> = Object.freeze({
  always: Object.freeze([]),
  maxCandidates: 5,
  minScore: 0.05,
  maxLoaded: 30,
  by: "haft",
});

/** What is wrong with something that is given as an agent's `toolSearch`, as the end of a sentence about it. */
export const explainInvalidToolSearch = (given: unknown): string | undefined => {
  if (given === undefined || given === true) return undefined;
  if (typeof given !== "object" || given === null || Array.isArray(given)) {
    return "takes true or an object, such as { always: [] }";
  }
  const unknownField = Object.keys(given).find((field) => !Object.hasOwn(toolSearchDefaults, field));
  if (unknownField !== undefined) {
    const known = Object.keys(toolSearchDefaults).join(", ");
    return `has a field \`${unknownField}\`, which means nothing here. The fields are: ${known}`;
  }
  const { always, maxCandidates, minScore, maxLoaded, by } = { ...toolSearchDefaults, ...given };
  if (!Array.isArray(always) || !always.every((name) => typeof name === "string" && name !== "")) {
    return "has `always`, which takes a list of the agent's tools by name";
  }
  if (!isCount(maxCandidates)) return "has `maxCandidates`, which takes a whole number of at least 1";
  if (typeof minScore !== "number" || !(minScore >= 0 && minScore <= 1)) {
    return "has `minScore`, which takes a number from 0 to 1";
  }
  if (!isCount(maxLoaded)) return "has `maxLoaded`, which takes a whole number of at least 1";
  return by === "haft" || by === "provider" ? undefined : 'has `by`, which takes "haft" or "provider"';
};

const isCount = (value: unknown): boolean => Number.isSafeInteger(value) && (value as number) >= 1;

/** What models know the two tools by that find and show others. */
export const searchToolName = "search_tools";
export const loadToolName = "load_tools";
