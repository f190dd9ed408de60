import { describe, expect, it } from "vitest";
import { registered } from "../../test/kit/registered.ts";
import type { Principal } from "../words/principal.ts";
import { explainDecision } from "./explain.ts";
import { policy } from "./policy.ts";

const read = registered("fs/read");
const ada: Principal = { agent: "ada", user: "u1", tenant: "t1", roles: ["reader"], allow: ["*"] };

describe("explainDecision", () => {
  it("says who, what, why and by which rules, in sentences", () => {
    const engine = policy({ rules: [{ id: "no-files", effect: "deny", reason: "audit" }] });
    const registration = registered("fs/read", { tags: ["files"], requiresApproval: true });
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
