import { isReadOnly, type ToolSpec } from "../words/spec.ts";
import type { Registration } from "../words/tool.ts";

const isOutside = ({ source }: ToolSpec): boolean => source === "http" || source === "mcp";

/** The full name of a tool whose results are somebody else's words, which must not be taken for the user's. */
export const taintOf = ({ key, tool: { spec } }: Registration): string | undefined => {
  const { tags, annotations } = spec;
  if (tags.includes("untrusted")) return key;
  if (tags.includes("trusted")) return undefined;
  return annotations.openWorld === true || isOutside(spec) ? key : undefined;
};

/** Whether a call can carry data out or do harm that stays. */
export const isSink = (spec: ToolSpec): boolean => {
  if (spec.tags.includes("sink")) return true;
  const { openWorld, destructive } = spec.annotations;
  return !isReadOnly(spec) && (openWorld === true || destructive === true || isOutside(spec));
};
