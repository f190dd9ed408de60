import { isReadOnly } from "../words/spec.ts";
import type { AnyTool, Registration } from "../words/tool.ts";

const outside: ReadonlySet<string> = new Set(["http", "mcp"]);

/** What its spec says, and what its code is, whatever the spec says. */
const isOutside = ({ spec, implementation: { _tag, kinds } }: AnyTool): boolean =>
  outside.has(spec.source) || outside.has(_tag) || kinds?.some((kind) => outside.has(kind)) === true;

/** The full name of a tool whose results are somebody else's words, which must not be taken for the user's. */
export const taintOf = ({ key, tool }: Registration): string | undefined => {
  const { tags, annotations } = tool.spec;
  if (tags.includes("untrusted")) return key;
  if (tags.includes("trusted")) return undefined;
  return annotations.openWorld === true || isOutside(tool) ? key : undefined;
};

/** Whether a call can carry data out or do harm that stays. */
export const isSink = (tool: AnyTool): boolean => {
  const { spec } = tool;
  if (spec.tags.includes("sink")) return true;
  const { openWorld, destructive } = spec.annotations;
  return !isReadOnly(spec) && (openWorld === true || destructive === true || isOutside(tool));
};
