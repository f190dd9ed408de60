import { runImplementation } from "../../tools/run-implementation.ts";
import { tool } from "../../tools/tool.ts";
import type { AnyTool, Registration } from "../../types/tool.ts";
import { loadToolName, searchToolName } from "../../types/tool-search.ts";

export interface ToolSearchInput {
  readonly query: string;
  readonly limit?: number;
}

export interface ToolLoadInput {
  readonly names: readonly string[];
}

export interface MetaToolHandlers {
  readonly search: (input: ToolSearchInput) => unknown;
  readonly load: (input: ToolLoadInput) => unknown;
}

const commonSpec = { annotations: { readOnly: true }, risk: "low", tags: ["tool-search"] } as const;
const throwOutsideRun = (): never => {
  throw new Error("This tool works only inside a run.");
};

const searchTool = tool({
  ...commonSpec,
  name: searchToolName,
  description:
    "Finds tools that are not listed. Describe in plain words what you want to do; one query may describe several tasks. Returns names and summaries. Load the tools that you need with load_tools.",
  input: {
    type: "object",
    properties: {
      query: {
        type: "string",
        minLength: 1,
        maxLength: 2_000,
        description: "What you want to do, such as: refund an order and tell the customer.",
      },
      limit: { type: "integer", minimum: 1, maximum: 50, description: "Maximum number of tools." },
    },
    required: ["query"],
    additionalProperties: false,
  },
  run: throwOutsideRun,
});

const loadTool = tool({
  ...commonSpec,
  name: loadToolName,
  description:
    "Shows the full definitions of tools that search_tools found. From your next message on, they are in your list of tools.",
  input: {
    type: "object",
    properties: {
      names: {
        type: "array",
        minItems: 1,
        maxItems: 100,
        items: { type: "string", minLength: 1, maxLength: 200 },
        description: "Names from search_tools.",
      },
    },
    required: ["names"],
    additionalProperties: false,
  },
  run: throwOutsideRun,
});

/** Created per run, because their results depend on the caller and the conversation. */
export const metaTools = ({ search, load }: MetaToolHandlers): readonly Registration[] => [
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
