import type { Handler, ToolLayer } from "../../../types/layer.ts";

/** Hides the tool while its server is disconnected. */
export const connectionLayer = (isConnected: () => boolean): ToolLayer =>
  Object.assign((next: Handler) => next, { label: "mcp", isAvailable: isConnected });
