import type { Handler, ToolLayer } from "../../../words/layer.ts";

/** Does nothing to a call; it takes the tool out of the offer while nobody would answer. */
export const gate = (isOpen: () => boolean): ToolLayer =>
  Object.assign((next: Handler) => next, { label: "mcp", isAvailable: isOpen });
