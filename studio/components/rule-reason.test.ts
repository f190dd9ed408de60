import { describe, expect, it } from "vitest";
import { callerKeyOf } from "../../src/types/principal.ts";
import { callerId } from "./caller-name.tsx";
import { rightConditionsText, rightText } from "./right-text.ts";
import { reasonParts } from "./rule-reason.tsx";

describe("text about rights", () => {
  it("marks the names of rules in a reason and no other words", () => {
    const rules = (reason: string, ids: readonly string[]) =>
      reasonParts(reason, ids).flatMap(({ text, isRule }) => (isRule ? [text] : []));
    expect(reasonParts("allowed by everybody", ["everybody"])).toEqual([
      { text: "allowed by ", isRule: false },
      { text: "everybody", isRule: true },
    ]);
    expect(rules("denied by all (all of them), all-day; paid by all", ["all", "all-day"])).toEqual([
      "all",
      "all-day",
      "all",
    ]);
    expect(rules("the risk is high and no rule waives approval", ["rule", "high"])).toEqual([]);
    expect(reasonParts("", ["everybody"])).toEqual([]);
    expect(
      reasonParts("denied by a, b (why, a: b)", ["a", "b"])
        .map(({ text }) => text)
        .join(""),
    ).toBe("denied by a, b (why, a: b)");
  });

  it("names a caller like the API, including its delegators", () => {
    const lender = { agent: "desk", user: "ada", tenant: "north", session: "s-1" };
    for (const caller of [lender, { agent: "guest" }, { agent: "helper", session: "s-2", within: lender }]) {
      expect(callerId(caller)).toBe(callerKeyOf(caller));
    }
  });

  it("names the conditions of a right, and unknown conditions", () => {
    expect(rightText({ effect: "allow", depends: ["arguments", "untrusted-words"] })).toBe(
      "may, depending on arguments and untrusted words",
    );
    expect(rightText({ effect: "deny", depends: [] })).toBe("may not");
    expect(rightConditionsText({ depends: ["unknown"] })).toBe("perhaps not always");
  });
});
