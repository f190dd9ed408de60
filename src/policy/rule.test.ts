import { describe, expect, it } from "vitest";
import { ConfigurationError } from "../types/errors.ts";
import { createPolicyEngine } from "./policy.ts";
import type { Rule } from "./rule.ts";

describe("rejects an invalid policy", () => {
  it.each([
    [{ effect: "permit" }, "rules[0].effect"],
    [{ effect: "allow", tool: ["x"] }, "rules[0].tool is not a field of a rule"],
    [{ effect: "allow", tools: [] }, "rules[0].tools must be a list"],
    [{ effect: "allow", tools: "fs/*" }, "rules[0].tools must be a list"],
    [{ effect: "deny", tools: ["fs//x"] }, "fs//x"],
    [{ effect: "deny", risk: ["huge"] }, "huge"],
    [{ effect: "deny", users: ["u*"] }, "rules[0].users"],
    [{ effect: "deny", toolkits: ["nope"] }, "nope"],
    [{ effect: "deny", waivesApproval: true }, "rules[0].waivesApproval"],
    [{ effect: "deny", when: { type: "strin" } }, "rules[0].when"],
    [{ effect: "deny", when: { pattern: "(" } }, "rules[0].when"],
    [{ effect: "deny", when: true }, "rules[0].when"],
    [{ id: "", effect: "deny" }, "rules[0].id"],
    ["deny", "rules[0]"],
  ])("%j", (rule, message) => {
    const make = () => createPolicyEngine({ rules: [rule as unknown as Rule] });
    expect(make).toThrow(ConfigurationError);
    expect(make).toThrow(message);
  });

  it("with all invalid entries at once", () => {
    const bad = [
      { effect: "nope" },
      { effect: "deny" },
      { effect: "deny", tools: ["?"] },
    ] as unknown as Rule[];
    expect(() => createPolicyEngine({ rules: bad })).toThrow(/rules\[0\].*"\?"/s);
  });

  it("with two rules of the same id or an invalid toolkit pattern", () => {
    expect(() =>
      createPolicyEngine({
        rules: [
          { id: "a", effect: "allow" },
          { id: "a", effect: "deny" },
        ],
      }),
    ).toThrow('"a"');
    expect(() => createPolicyEngine({ toolkits: { files: ["fs/ *"] } })).toThrow("fs/ *");
  });
});
