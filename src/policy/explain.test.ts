import { describe, expect, it } from "vitest";
import { testRegistration } from "../../test/kit/test-registration.ts";
import type { Principal } from "../types/principal.ts";
import { explainDecision } from "./explanation.ts";
import { createPolicyEngine } from "./policy.ts";

const read = testRegistration("fs/read");
const ada: Principal = { agent: "ada", user: "u1", tenant: "t1", roles: ["reader"], allow: ["*"] };

describe("explainDecision", () => {
  it("describes caller, tool, reason and rules in sentences", () => {
    const engine = createPolicyEngine({ rules: [{ id: "no-files", effect: "deny", reason: "audit" }] });
    const registration = testRegistration("fs/read", { tags: ["files"], requiresApproval: true });
    expect(explainDecision(engine.visible(ada, registration), ada, registration)).toBe(
      [
        '"ada" may not call fs/read: denied by no-files (audit).',
        "caller: user u1, tenant t1, roles reader, allow *, toolkits nothing, deny nothing",
        "tool: fs/read (project), risk low, source function, tags files, requires approval",
        "rules: no-files",
      ].join("\n"),
    );
    expect(explainDecision(engine.visible(undefined, read), undefined, read)).toContain(
      "Calls of fs/read require a principal",
    );
  });
});
