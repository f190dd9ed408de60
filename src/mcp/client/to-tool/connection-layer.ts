import type { Handler, ToolLayer } from "../../../types/layer.ts";

/** Does nothing to a call; it takes the tool out of the offer while nobody would answer. */
export const connectionLayer = (isConnected: () => boolean): ToolLayer =>
  Object.assign((next: Handler) => next, { label: "mcp", isAvailable: isConnected });
