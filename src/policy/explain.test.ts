import { describe, expect, it } from "vitest";
import type { Principal } from "../words/principal.ts";
import type { ToolSpec } from "../words/spec.ts";
import type { AnyTool, Registration } from "../words/tool.ts";
import { explainDecision } from "./explain.ts";
import { policy } from "./policy.ts";

const base: ToolSpec = {
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

const at = (key: string, spec: Partial<ToolSpec> = {}): Registration => ({
  key,
  wireName: key.replaceAll("/", "__"),
  origin: key.includes("/") ? "project" : "internal",
  tool: { spec: { ...base, ...spec }, layers: [] } as unknown as AnyTool,
});

const read = at("fs/read");
const ada: Principal = { agent: "ada", user: "u1", tenant: "t1", roles: ["reader"], allow: ["*"] };

describe("explainDecision", () => {
  it("says who, what, why and by which rules, in sentences", () => {
    const engine = policy({ rules: [{ id: "no-files", effect: "deny", reason: "audit" }] });
    const registration = at("fs/read", { tags: ["files"], requiresApproval: true });
    expect(explainDecision(engine.visible(ada, registration), ada, registration)).toBe(
      [
        '"ada" may not call fs/read: denied by no-files (audit).',
        "caller: user u1, tenant t1, roles reader, allow *, toolkits nothing, deny nothing",
        "tool: fs/read (project), risk low, source function, tags files, requires approval",
        "rules: no-files",
      ].join("\n"),
    );
    expect(explainDecision(engine.visible(undefined, read), undefined, read)).toContain(
      "Nobody may call fs/read without a principal",
    );
  });
});
