import {
  loadToolSchema,
  searchToolSchema,
  type ToolLoadInput,
  type ToolSearchInput,
} from "../../registry/selection/search-answer.ts";
import { runImplementation } from "../../tools/run-implementation.ts";
import { tool } from "../../tools/tool.ts";
import type { AnyTool, Registration } from "../../types/tool.ts";
import { loadToolName, searchToolName } from "../../types/tool-search.ts";

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
  input: searchToolSchema(50, {}),
  run: throwOutsideRun,
});

const loadTool = tool({
  ...commonSpec,
  name: loadToolName,
  description:
    "Shows the full definitions of tools that search_tools found. From your next message on, they are in your list of tools.",
  input: loadToolSchema(100),
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
