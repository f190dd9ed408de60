import { runImplementation } from "../../tool/run-implementation.ts";
import { tool } from "../../tool/tool.ts";
import type { AnyTool, Registration } from "../../words/tool.ts";
import { loadName, searchName } from "../../words/tool-search.ts";

/** What the two tools take, checked before they are asked. */
export interface SearchInput {
  readonly query: string;
  readonly limit?: number;
}

export interface LoadInput {
  readonly names: readonly string[];
}

/** What answers them in one run. */
export interface MetaCode {
  readonly search: (input: SearchInput) => unknown;
  readonly load: (input: LoadInput) => unknown;
}

const common = { annotations: { readOnly: true }, risk: "low", tags: ["tool-search"] } as const;
const nothing = (): never => {
  throw new Error("This tool answers only inside of a run.");
};

const searchTool = tool({
  ...common,
  name: searchName,
  description:
    "Finds tools that you are not shown. Say in plain words what you want to do; several wishes may stand in one query. Answers with names and summaries. Load what you need with load_tools.",
  input: {
    type: "object",
    properties: {
      query: {
        type: "string",
        minLength: 1,
        maxLength: 2_000,
        description: "What you want to do, such as: refund an order and tell the customer.",
      },
      limit: { type: "integer", minimum: 1, maximum: 50, description: "How many tools at most." },
    },
    required: ["query"],
    additionalProperties: false,
  },
  run: nothing,
});

const loadTool = tool({
  ...common,
  name: loadName,
  description:
    "Shows you the full definitions of tools that search_tools found. They are in your list of tools from your next answer on.",
  input: {
    type: "object",
    properties: {
      names: {
        type: "array",
        minItems: 1,
        maxItems: 100,
        items: { type: "string", minLength: 1, maxLength: 200 },
        description: "Names as search_tools answered them.",
      },
    },
    required: ["names"],
    additionalProperties: false,
  },
  run: nothing,
});

/** Of no registry and of one run: what they answer hangs on who asks, and on what was said. */
export const metaTools = ({ search, load }: MetaCode): readonly Registration[] => [
  toRegistration(loadTool, load),
  toRegistration(searchTool, search),
];

const toRegistration = (made: AnyTool, run: (input: never) => unknown): Registration => ({
  key: made.spec.name,
  wireName: made.spec.name,
  origin: "agent",
  tool: Object.freeze({ ...made, implementation: runImplementation(run) }),
  isFree: true,
});
