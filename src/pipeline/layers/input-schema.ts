import type { Handler, ToolLayer } from "../../types/tool.ts";

/**
 * Sets how the gate validates an input that a layer changed: `strict` refuses violations, `lenient` only
 * records them. Unless set: the tool's own mode.
 */
export const inputSchema = (mode: "strict" | "lenient" = "strict"): ToolLayer =>
  Object.assign((next: Handler): Handler => next, { label: "inputSchema", runsNoCode: true, validate: mode });
