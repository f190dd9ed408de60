import { describe, expect, it } from "vitest";
import { testRegistration } from "../../test/kit/test-registration.ts";
import type { Principal } from "../types/principal.ts";
import type { AnyTool, ToolSpec } from "../types/tool.ts";
import type { PolicyOptions } from "./options.ts";
import { createPolicyEngine } from "./policy.ts";
import { isSink, taintSourceOf } from "./taint.ts";

const ada: Principal = { agent: "ada", allow: ["*"] };
const mail = testRegistration("mail/send", { tags: ["sink"] });
const tainted = { calls: 1, cost: 0, taints: ["web/fetch"] };

const decide = (options: PolicyOptions, registration = mail, taints: readonly string[] = tainted.taints) =>
  createPolicyEngine(options).decide({
    principal: ada,
    registration,
    input: {},
    validated: true,
    tally: { ...tainted, taints },
  });

describe("taintOf", () => {
  it.each([
    [{}, false],
    [{ annotations: { openWorld: true } }, true],
    [{ annotations: { openWorld: false } }, false],
    [{ source: "http" }, true],
    [{ source: "mcp" }, true],
    [{ tags: ["untrusted"] }, true],
    [{ source: "http", tags: ["trusted"] }, false],
    [{ annotations: { openWorld: true }, tags: ["trusted"] }, false],
    [{ source: "http", tags: ["trusted", "untrusted"] }, true],
  ] satisfies [Partial<ToolSpec>, boolean][])(
    "results of a tool with %j are untrusted: %s",
    (spec, expected) => {
      expect(taintSourceOf(testRegistration("web/fetch", spec))).toBe(expected ? "web/fetch" : undefined);
    },
  );
});

describe("isSink", () => {
  it.each([
    [{}, false],
    [{ tags: ["sink"], annotations: { readOnly: true } }, true],
    [{ annotations: { openWorld: true } }, true],
    [{ annotations: { openWorld: true, readOnly: true } }, false],
    [{ annotations: { destructive: true } }, true],
    [{ source: "http" }, true],
    [{ source: "mcp" }, true],
    [{ source: "http", annotations: { readOnly: true } }, false],
  ] satisfies [Partial<ToolSpec>, boolean][])("a tool with %j is a sink: %s", (spec, expected) => {
    expect(isSink(testRegistration("x", spec).tool)).toBe(expected);
  });
});

describe("tool without the openWorld annotation", () => {
  const made = (implementation: object) => {
    const registration = testRegistration("web/fetch");
    return { ...registration, tool: { ...registration.tool, implementation } as AnyTool };
  };

  it.each([
    [{ _tag: "http" }, true],
    [{ _tag: "mcp" }, true],
    [{ _tag: "choice", kinds: ["function", "mcp"] }, true],
    [{ _tag: "choice", kinds: ["function", "http"] }, true],
    [{ _tag: "choice", kinds: ["function"] }, false],
    [{ _tag: "choice", kinds: [] }, false],
  ])("is classified by its implementation %j as open world: %s", (implementation, expected) => {
    const registration = made(implementation);
    expect(taintSourceOf(registration)).toBe(expected ? "web/fetch" : undefined);
    expect(isSink(registration.tool)).toBe(expected);
  });
});

describe("sink after untrusted content", () => {
  it("requires approval with a reason that names the sources", () => {
    expect(decide({}, mail, []).effect).toBe("allow");
    expect(decide({})).toMatchObject({ effect: "approve", reason: expect.stringContaining("web/fetch") });
    const many = ["a", "b", "c", "d", "e"];
    expect(decide({}, mail, many).reason).toContain("a, b, c and 2 more");
  });

  it("is distinguished from a tool that differs only in the sink tag", () => {
    const engine = createPolicyEngine({});
    const effects = [testRegistration("note/add"), mail, testRegistration("note/get")].map(
      (registration) =>
        engine.decide({ principal: ada, registration, input: {}, validated: true, tally: tainted }).effect,
    );
    expect(effects).toEqual(["allow", "approve", "allow"]);
  });

  it("requires no approval when a rule waives it or the setting is off", () => {
    expect(decide({ rules: [{ effect: "allow" }] }).effect).toBe("approve");
    const waiver: PolicyOptions = { rules: [{ id: "w", effect: "allow", waivesApproval: true }] };
    expect(decide(waiver)).toMatchObject({ effect: "allow", ruleIds: ["w"] });
    expect(decide({ approveTaintedSinks: false }).effect).toBe("allow");
  });

  it("is offered as if nothing had been read", () => {
    expect(createPolicyEngine({}).visible(ada, mail).effect).toBe("allow");
  });

  it("with repaired arguments gives both reasons", () => {
    const request = { principal: ada, registration: mail, input: {}, validated: true, repaired: true };
    const { effect, reason } = createPolicyEngine({}).decide({ ...request, tally: tainted });
    expect(effect).toBe("approve");
    expect(reason).toMatch(/web\/fetch.*; its arguments were repaired$/);
  });
});
