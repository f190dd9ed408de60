import type { JsonSchema } from "../../src/types/json.ts";
import type { ToolSpec } from "../../src/types/tool.ts";

export const specOf = (input: JsonSchema, more: Partial<ToolSpec> = {}): ToolSpec => ({
  name: "probe",
  description: "A tool",
  input,
  category: "custom",
  risk: "low",
  requiresApproval: false,
  source: "function",
  tags: [],
  annotations: {},
  validate: "strict",
  strict: false,
  ...more,
});
