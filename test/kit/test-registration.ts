import type { AnyTool, Registration, ToolSpec } from "../../src/types/tool.ts";

const baseSpec: ToolSpec = {
  name: "x",
  description: "x",
  input: { type: "object" },
  category: "custom",
  risk: "low",
  requiresApproval: false,
  source: "function",
  tags: [],
  annotations: {},
  validate: "strict",
  strict: false,
};

/** A tool under a full name, for code that only reads its spec. */
export const testRegistration = (key: string, spec: Partial<ToolSpec> = {}): Registration => ({
  key,
  wireName: key.replaceAll("/", "__"),
  origin: key.includes("/") ? "project" : "internal",
  tool: {
    spec: { ...baseSpec, ...spec },
    implementation: { _tag: "function" },
    layers: [],
  } as unknown as AnyTool,
});
