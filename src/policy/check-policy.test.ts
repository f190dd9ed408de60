import { describe, expect, it } from "vitest";
import { tool } from "../tools/tool.ts";
import { toWireName } from "../tools/tool-name.ts";
import type { JsonSchema } from "../types/json.ts";
import type { Registration } from "../types/tool.ts";
import type { PendingServer } from "./check/tool-index.ts";
import { checkPolicy } from "./check-policy.ts";
import type { PolicyOptions } from "./options.ts";
import type { Rule } from "./rule.ts";

type Definition = Partial<Parameters<typeof tool>[0]>;

const registered = (key: string, input: JsonSchema, more: Definition = {}): Registration => ({
  key,
  wireName: toWireName(key),
  origin: "internal",
  tool: tool({ name: key.split("/").at(-1)!, description: "Works", input, run: () => 1, ...more } as never),
});

const money: JsonSchema = {
  type: "object",
  properties: { order: { type: "string" }, euros: { type: "number", minimum: 0, maximum: 500 } },
  required: ["order", "euros"],
};
const pay = registered("pay", money);
const look = registered("look", { type: "object", properties: { order: { type: "string" } } });

const check = (
  policy: PolicyOptions,
  registrations: readonly Registration[] = [look, pay],
  pendingServers: readonly PendingServer[] = [],
) => checkPolicy({ policy, registrations, pendingServers });

const codesOf = (...given: Parameters<typeof check>): readonly string[] =>
  check(...given).map(({ code }) => code);

const deny = (rule: Partial<Rule>): PolicyOptions => ({ rules: [{ effect: "deny", ...rule }] });
const denyPay = (when: JsonSchema): PolicyOptions => deny({ tools: ["pay"], when });

describe("checkPolicy reports nothing", () => {
  it.each<readonly [string, PolicyOptions]>([
    ["a policy without rules", {}],
    [
      "a condition that some values satisfy",
      denyPay({ properties: { euros: { minimum: 100 } }, required: ["euros"] }),
    ],
    [
      "a condition with annotations and extensions",
      denyPay({
        title: "Big",
        "x-owner": "ops",
        $comment: "why",
        properties: { euros: { minimum: 100, description: "in cash", examples: [200], deprecated: false } },
      }),
    ],
    ["a condition with a format", denyPay({ properties: { order: { format: "uuid" } } })],
    ["a negated format", denyPay({ properties: { order: { not: { format: "uuid" } } } })],
    ["a rule for any tool with an argument that one of them has", deny({ when: { required: ["euros"] } })],
    [
      "an older dialect with its own keywords",
      denyPay({
        $schema: "http://json-schema.org/draft-07/schema#",
        properties: {
          order: { anyOf: [{ minLength: 3 }, { items: [true], additionalItems: false, type: "array" }] },
        },
      }),
    ],
    [
      "referenced definitions",
      denyPay({ $defs: { big: { minimum: 100 } }, properties: { euros: { $ref: "#/$defs/big" } } }),
    ],
    [
      "rules with different callers",
      {
        rules: [
          { effect: "deny", roles: ["guest"] },
          { effect: "allow", roles: ["clerk"] },
        ],
      },
    ],
    [
      "a waiver next to a wider allow",
      { rules: [{ effect: "allow" }, { effect: "allow", tools: ["pay"], waivesApproval: true }] },
    ],
    [
      "overlapping restrictions with different reasons",
      {
        rules: [
          { effect: "deny", tools: ["*"], tainted: true, reason: "a" },
          { effect: "deny", tools: ["pay"], tainted: true, reason: "b" },
        ],
      },
    ],
    [
      "an exception to an allow",
      {
        rules: [
          { effect: "allow" },
          { effect: "approve", tools: ["pay"] },
          { effect: "deny", tools: ["pay"], tainted: true },
        ],
      },
    ],
    [
      "conditions of the run",
      {
        rules: [
          { effect: "allow" },
          { effect: "deny", tainted: true, repaired: true, spent: { calls: 3, cost: 0 } },
        ],
      },
    ],
  ])("about %s", (_what, policy) => {
    expect(check(policy)).toEqual([]);
  });

  it.each<readonly [string, JsonSchema]>([
    ["that lists no arguments", { type: "object" }],
    [
      "with further arguments of a type",
      { type: "object", properties: { a: {} }, additionalProperties: { type: "number" } },
    ],
    [
      "with further arguments by pattern",
      { type: "object", properties: { a: {} }, patternProperties: { "^x": {} } },
    ],
    ["with a branch that allows anything", { type: "object", anyOf: [{ properties: { a: {} } }, {}] }],
  ])("about an unknown argument of a tool %s", (_what, input) => {
    const open = registered("open", input);
    expect(check(deny({ tools: ["open"], when: { required: ["euros"] } }), [open])).toEqual([]);
  });

  it("about tools that do not validate their arguments", () => {
    const lenient = registered("pay", money, { validate: "lenient" });
    expect(check(denyPay({ properties: { euros: { minimum: 1_000 } } }), [lenient])).toEqual([]);
  });

  it("about arguments that are declared in a choice or behind a reference", () => {
    const choice = registered("pay", {
      type: "object",
      $defs: { card: { type: "object", properties: { card: { type: "string" } } } },
      oneOf: [
        { properties: { kind: { const: "cash" }, euros: { type: "number" } } },
        { $ref: "#/$defs/card" },
      ],
    });
    const when = { properties: { card: { const: "visa" }, euros: { const: "many" } } };
    expect(check(denyPay(when), [choice])).toEqual([]);
  });

  it("before any tool is registered", () => {
    expect(check(deny({ tools: ["later"], when: { required: ["x"] } }), [])).toEqual([]);
  });
});

describe("checkPolicy and servers that are not connected yet", () => {
  const files: PendingServer = { id: "files" };
  it.each<readonly [pattern: string, server: PendingServer, codes: readonly string[]]>([
    ["files/read", files, []],
    ["files/*", files, []],
    ["f*/read", files, []],
    ["**", files, []],
    ["**/read", files, []],
    ["mail/send", files, ["unknown_tool"]],
    ["read", files, ["unknown_tool"]],
    ["read", { id: "files", isBare: true }, []],
  ])("allows for %s with the server %o: %j", (pattern, server, codes) => {
    expect(codesOf(deny({ tools: [pattern] }), [look, pay], [server])).toEqual(codes);
  });

  it("reports nothing about conditions, tags and risks of their tools", () => {
    const rule = { tools: ["files/*"], tags: ["disk"], when: { required: ["path"] } };
    expect(check(deny(rule), [look, pay], [files])).toEqual([]);
    expect(check(deny({ risk: ["critical"] }), [look, pay], [files])).toEqual([]);
    expect(codesOf(deny({ risk: ["critical"] }))).toEqual(["no_matching_tool"]);
  });

  it("reports nothing about a principal that may use one of their tools", () => {
    const principals = [{ principal: { agent: "a", allow: ["files/*"] }, path: ["principal"] }];
    const given = { policy: {}, registrations: [look, pay], principals };
    expect(checkPolicy({ ...given, pendingServers: [files] })).toEqual([]);
    expect(checkPolicy(given)).toMatchObject([{ code: "unknown_tool", place: "/principal/allow/0" }]);
  });
});

describe("checkPolicy proves", () => {
  it("that a condition on several arguments together never holds", () => {
    const input: JsonSchema = {
      type: "object",
      properties: { kind: { enum: ["cash", "card"] }, euros: { type: "integer" } },
      required: ["kind", "euros"],
      anyOf: [
        { properties: { kind: { const: "cash" }, euros: { maximum: 10 } } },
        { properties: { kind: { const: "card" } } },
      ],
    };
    const when: JsonSchema = {
      properties: { kind: { const: "cash" }, euros: { minimum: 20 } },
      required: ["kind"],
    };
    expect(check(denyPay(when), [registered("pay", input)])).toMatchObject([
      { code: "never_holds", place: "/policy/rules/0/when", ruleId: "rules[0]" },
    ]);
  });

  it.each<readonly [string, JsonSchema]>([
    ["another type", { type: "array" }],
    [
      "no further arguments, although the tool requires one",
      { properties: { order: {} }, additionalProperties: false },
    ],
    ["an argument to be missing that the tool requires", { properties: { euros: false } }],
    ["a value that a nested rule excludes", { allOf: [{ properties: { euros: { minimum: 1_000 } } }] }],
  ])("that a condition with %s never holds", (_what, when) => {
    expect(codesOf(denyPay(when))).toEqual(["never_holds"]);
  });

  it("that a branch without `if` restricts nothing", () => {
    expect(codesOf(denyPay({ then: { required: ["euros"] } }))).toEqual(["always_holds"]);
  });

  it("an exclusion only if every tool of the rule excludes the value", () => {
    const small = registered("pay_small", money);
    const large = registered("pay_large", {
      ...money,
      properties: { euros: { type: "number" } },
    } as JsonSchema);
    const policy = deny({ tools: ["pay_*"], when: { properties: { euros: { minimum: 1_000 } } } });
    expect(codesOf(policy, [small])).toEqual(["never_holds"]);
    expect(codesOf(policy, [large, small])).toEqual([]);
  });

  it("that a condition always holds when defaults fill the argument in", () => {
    const input: JsonSchema = { type: "object", properties: { dry: { type: "boolean", default: true } } };
    expect(codesOf(denyPay({ required: ["dry"] }), [registered("pay", input)])).toEqual(["always_holds"]);
  });
});

describe("checkPolicy finds covered rules", () => {
  const codes = (wide: Rule, narrow: Rule, more: PolicyOptions = {}) =>
    check({ ...more, rules: [wide, narrow] }, [look, pay, registered("shop/ship", money)]).map(
      ({ code, place }) => `${code} ${place}`,
    );
  const covered = ["covered_rule /policy/rules/1"];
  it.each<readonly [Rule, Rule, readonly string[]]>([
    [{ effect: "deny" }, { effect: "allow", tools: ["pay"] }, covered],
    [{ effect: "approve", tools: ["*"] }, { effect: "allow", tools: ["pay"], waivesApproval: true }, covered],
    [{ effect: "deny", tools: ["shop/**"] }, { effect: "approve", tools: ["shop/sh*"] }, covered],
    [{ effect: "deny", tools: ["s*/ship"] }, { effect: "approve", tools: ["shop/ship"] }, covered],
    [{ effect: "deny", agents: ["desk-*"] }, { effect: "allow", agents: ["desk-a*"] }, covered],
    [{ effect: "deny", roles: ["a", "b"] }, { effect: "allow", roles: ["a"] }, covered],
    [
      { effect: "deny", toolkits: ["kit"] },
      { effect: "allow", toolkits: ["kit"], risk: ["medium", "low"] },
      covered,
    ],
    [{ effect: "allow" }, { effect: "allow", tools: ["pay"], spent: { calls: 3 } }, covered],
    [{ effect: "deny", tainted: true }, { effect: "allow", tainted: true, tools: ["pay"] }, covered],
    [{ id: "a", effect: "deny", tools: ["pay"] }, { id: "b", effect: "deny", tools: ["pay"] }, covered],
    [{ effect: "deny", tainted: true }, { effect: "allow", tools: ["pay"] }, []],
    [{ effect: "deny", tools: ["shop/*"] }, { effect: "allow", tools: ["shop/**"] }, []],
    [{ effect: "deny", tools: ["p*"] }, { effect: "allow", tools: ["*y"] }, []],
    [{ effect: "deny", users: ["ada"] }, { effect: "allow" }, []],
    [{ effect: "allow" }, { effect: "allow", tools: ["pay"] }, []],
  ])("reports for %j and %j the problems %j", (wide, narrow, expected) => {
    expect(codes(wide, narrow, { toolkits: { kit: ["pay"] } })).toEqual(expected);
  });
});

it("makes every problem an error under strict", () => {
  const policy = { ...deny({ tools: ["pya"] }), strict: true };
  expect(check(policy)).toMatchObject([{ code: "unknown_tool", severity: "error" }]);
  expect(check({ ...policy, strict: false })).toMatchObject([{ severity: "warning" }]);
});

it("reports errors of an invalid policy together with problems of its other rules", () => {
  const rules = [{ effect: "alow" }, { effect: "deny", tools: ["pya"] }] as unknown as readonly Rule[];
  expect(check({ rules }).map(({ code, severity }) => [code, severity])).toEqual([
    ["invalid_policy", "error"],
    ["unknown_tool", "warning"],
  ]);
});

describe("a rule for an internal tool that a project overrides", () => {
  const shopPay: Registration = { ...registered("shop/pay", money), origin: "project" };

  it("is reported with the full name of the overriding tool", () => {
    expect(check(deny({ tools: ["pay"] }), [look, pay, shopPay])).toMatchObject([
      {
        code: "overridden_tool",
        severity: "warning",
        place: "/policy/rules/0/tools/0",
        message: expect.stringContaining('get "shop/pay"'),
        suggestion: 'Add "shop/pay" if the rule is for it too.',
      },
    ]);
  });

  it("is not reported for patterns that match both", () => {
    expect(codesOf(deny({ tools: ["*pay"] }), [look, pay, shopPay])).toEqual([]);
    expect(codesOf(deny({ tools: ["shop/pay"] }), [look, pay, shopPay])).toEqual([]);
  });
});
