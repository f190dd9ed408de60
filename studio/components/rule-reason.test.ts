import { describe, expect, it } from "vitest";
import { callerKeyOf } from "../../src/types/principal.ts";
import { callerId } from "./caller-name.tsx";
import { permissionFactorsText, permissionText } from "./permission-text.ts";
import { reasonParts } from "./rule-reason.tsx";

describe("text about permissions", () => {
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
    expect(rules("high-risk tool; no rule skips approval", ["rule", "high"])).toEqual([]);
    expect(reasonParts("", ["everybody"])).toEqual([]);
    expect(
      reasonParts("denied by a, b (why, a: b)", ["a", "b"])
        .map(({ text }) => text)
        .join(""),
    ).toBe("denied by a, b (why, a: b)");
  });

  it("names a caller like the API, including its delegators", () => {
    const delegator = { agent: "desk", user: "ada", tenant: "north", session: "s-1" };
    for (const caller of [
      delegator,
      { agent: "guest" },
      { agent: "helper", session: "s-2", within: delegator },
    ]) {
      expect(callerId(caller)).toBe(callerKeyOf(caller));
    }
  });

  it("names what a permission depends on", () => {
    expect(permissionText({ effect: "allow", dependsOn: ["arguments", "untrusted-content"] })).toBe(
      "allowed, depends on arguments and untrusted content",
    );
    expect(permissionText({ effect: "deny", dependsOn: [] })).toBe("denied");
    expect(permissionFactorsText({ dependsOn: ["unknown"] })).toBe("may depend on the call");
  });
});
