import type { Handler, ToolLayer } from "../../types/layer.ts";

/**
 * How an input that a layer changed is held against the tool's schema: `strict` refuses what breaks it, `lenient` says
 * so in the ledger and lets it run. The gate does it, right before the code, so that no layer comes after it. Without
 * this layer the tool's own mode counts.
 */
export const inputSchema = (mode: "strict" | "lenient" = "strict"): ToolLayer =>
  Object.assign((next: Handler): Handler => next, { label: "inputSchema", runsNoCode: true, validate: mode });
