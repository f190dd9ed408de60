import { describe, expect, it } from "vitest";
import { describeCondition } from "./explain.ts";

describe("describeCondition", () => {
  it.each([
    [
      { type: "object", properties: { amount: { minimum: 1_000 } }, required: ["amount"] },
      "input.amount ≥ 1000",
    ],
    [{ properties: { amount: { exclusiveMaximum: 5 } } }, "input.amount < 5 (or not given)"],
    [{ required: ["cc"] }, "input.cc is given"],
    [
      {
        properties: { to: { type: "string", pattern: "@" }, kind: { enum: ["a", 1] } },
        required: ["to", "kind"],
      },
      'input.to is of type string and input.to fits "@" and input.kind is one of "a", 1',
    ],
    [
      {
        properties: { who: { properties: { name: { const: "Bob" } }, required: ["name"] } },
        required: ["who"],
      },
      'input.who.name is "Bob"',
    ],
    [{ not: { required: ["id"] } }, 'input fits {"not":{"required":["id"]}}'],
    [{}, "any arguments"],
  ])("describes %j as %s", (schema, words) => {
    expect(describeCondition("when", schema)).toBe(words);
  });

  it("describes tainted, repaired and spent", () => {
    expect(describeCondition("tainted", true)).toBe("the conversation has untrusted content");
    expect(describeCondition("tainted", false)).toBe("the conversation has no untrusted content");
    expect(describeCondition("repaired", true)).toBe("the arguments were repaired");
    expect(describeCondition("spent", { calls: 3, cost: 0.5 })).toBe(
      "the run has made at least 3 calls and the run has cost at least 0.5",
    );
  });
});
