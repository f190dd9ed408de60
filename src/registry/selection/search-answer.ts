import { firstSentenceOf } from "../../base/text/cut-text.ts";
import type { Registration } from "../../types/tool.ts";
import type { ToolRegistry } from "../tool-registry.ts";
import type { ToolSearchResults } from "./search-index.ts";

/** A model may request more results than configured, up to this number. */
export const maxFoundTools = 20;

export interface ToolSearchInput {
  readonly query: string;
  readonly limit?: number;
}

/** The input schema of `search_tools`. */
export const searchToolSchema = <const More extends object>(maxLimit: number, more: More) =>
  ({
    type: "object",
    properties: {
      query: {
        type: "string",
        minLength: 1,
        maxLength: 2_000,
        description: "What you want to do, such as: refund an order and tell the customer.",
      },
      limit: { type: "integer", minimum: 1, maximum: maxLimit, description: "Maximum number of tools." },
      ...more,
    },
    required: ["query"],
    additionalProperties: false,
  }) as const;

export const toolNameSchema = { type: "string", minLength: 1, maxLength: 300 } as const;

export interface ToolLoadInput {
  readonly names: readonly string[];
}

/** The input schema of `load_tools`. */
export const loadToolSchema = (maxNames: number) =>
  ({
    type: "object",
    properties: {
      names: {
        type: "array",
        minItems: 1,
        maxItems: maxNames,
        items: toolNameSchema,
        description: "Names from search_tools.",
      },
    },
    required: ["names"],
    additionalProperties: false,
  }) as const;

interface SearchAnswer<Detail> {
  readonly tools: readonly (FoundTool & Detail)[];
  /** For a query with several intents: the tools for each. */
  readonly wishes?: ToolSearchResults["wishes"];
  readonly none?: string;
}

interface FoundTool {
  readonly name: string;
  readonly summary: string;
  readonly score: number;
}

/** What the model reads about a search. */
export const toSearchAnswer = <Detail extends object>(
  { tools, wishes, none = "No tool matches this query." }: ToolSearchResults,
  detailOf: (name: string) => Detail,
): SearchAnswer<Detail> => ({
  tools: tools.map(({ name, spec, score }) => ({
    name,
    summary: firstSentenceOf(spec.description),
    score: Math.round(score * 100) / 100,
    ...detailOf(name),
  })),
  ...(wishes.length < 2 ? {} : { wishes }),
  ...(tools.length > 0 ? {} : { none: `${none} Search again with other words, or answer without a tool.` }),
});

/** Finds a tool of the list by any of its names. */
export const findByAnyName = (
  registry: ToolRegistry,
  byName: ReadonlyMap<string, Registration>,
  name: string,
): Registration | undefined => {
  const found = byName.get(name) ?? registry.get(name);
  return found && byName.get(found.wireName);
};

/** The tools that the model asked for, and the names that match none. */
export const resolveNames = (
  names: readonly string[],
  find: (name: string) => Registration | undefined,
): { readonly found: ReadonlySet<Registration>; readonly unknown: readonly string[] } => {
  const found = new Set<Registration>();
  const unknown: string[] = [];
  for (const name of new Set(names)) {
    const registration = find(name);
    if (registration === undefined) unknown.push(name);
    else found.add(registration);
  }
  return { found, unknown };
};
