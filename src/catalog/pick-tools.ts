import type { ToolSpec } from "../words/spec.ts";
import type { AnyTool } from "../words/tool.ts";
import type { Picked, PickOptions } from "./pick.ts";

/**
 * Which tools fit a question best: at most `maxCandidates`, the best first. Loaded with the first question, since
 * many who have tools never ask.
 */
export const pickTools = async (
  query: unknown,
  tools: readonly (ToolSpec | AnyTool)[],
  options?: PickOptions,
): Promise<readonly Picked[]> => {
  const { pickTools: pick } = await import("./pick.ts");
  return pick(query, tools, options);
};
