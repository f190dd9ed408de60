import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { testRegistration } from "../../../test/kit/test-registration.ts";
import type { PolicyRequest } from "../../policy/engine.ts";
import { cedarPolicy } from "../cedar.ts";
import { inputEntities } from "./cedar-authorizer.ts";

const all = "permit(principal, action, resource);";

const open = (policies: string) => cedarPolicy({ policies });
const request = (of: Partial<PolicyRequest>): PolicyRequest => ({
  principal: { agent: "ada", allow: ["*"] },
  registration: testRegistration("bank/pay"),
  input: {},
  validated: true,
  ...of,
});
const effect = async (policies: string, of: Partial<PolicyRequest>) =>
  (await open(policies)).decide(request(of)).effect;

const onCall = (kind: "permit" | "forbid", when: string) =>
  `${kind}(principal, action == Haft::Action::"call", resource) when { ${when} };`;

describe("arguments of a call in Cedar", () => {
  const sees = (when: string, input: unknown) =>
    effect(`permit(principal, action == Haft::Action::"list", resource); ${onCall("permit", when)}`, {
      input,
    });
  const path = (kind: string, name: string) =>
    `context.input.${kind}.hasTag("${name}") && context.input.${kind}.getTag("${name}")`;

  it.each([
    [`${path("text", "path")} like "/tmp/*"`, { path: "/tmp/x" }, { path: "/etc/x" }],
    [`${path("number", "a/b")} > 3`, { a: { b: 4 } }, { a: { b: 3 } }],
    [`${path("decimal", "price")}.lessThan(decimal("9.99"))`, { price: 9.98 }, { price: 10 }],
    [`${path("flag", "force")}`, { force: true }, { force: false }],
    [`${path("list", "to")}.contains("a@b.c")`, { to: ["x", "a@b.c"] }, { to: ["x"] }],
    [`${path("text", "to/0")} == "x"`, { to: ["x"] }, { to: ["y", "x"] }],
    [`${path("text", "a~1b")} == "x"`, { "a/b": "x" }, { a: { b: "x" } }],
    [`${path("text", "~2")} == "x"`, { "": "x" }, { "~2": "x" }],
    [`${path("text", "~2/~2")} == "x"`, { "": { "": "x" } }, { "": "x" }],
    [`${path("text", "__proto__")} == "x"`, JSON.parse('{"__proto__":"x"}'), {}],
  ])("match %s", async (when, fits, other) => {
    expect(await sees(when, fits)).toBe("allow");
    expect(await sees(when, other)).toBe("deny");
  });

  it("are denied when a policy reads a value that Cedar cannot represent", async () => {
    const limit = `${all} ${onCall("forbid", `${path("number", "amount")} > 100`)}`;
    const engine = await open(limit);
    const denied = engine.decide(request({ input: { amount: 100.5 } }));
    expect(denied).toMatchObject({ effect: "deny", reason: expect.stringContaining("amount is 100.5") });
    expect(engine.decide(request({ input: { amount: 1e300 } })).effect).toBe("deny");
    expect(engine.decide(request({ input: { amount: 100 } })).effect).toBe("allow");
    const exact = `${all} ${onCall("forbid", `${path("decimal", "amount")}.greaterThan(decimal("100.0"))`)}`;
    expect(await effect(exact, { input: { amount: 99.5 } })).toBe("allow");
    expect(await effect(exact, { input: { amount: 0.00001 } })).toBe("deny");
    expect(await effect(all, { input: { amount: 1e300 } })).toBe("allow");
    const wide = { list: Array.from({ length: 5_000 }, () => 1) };
    expect(await effect(limit, { input: wide })).toBe("deny");
    expect(await effect(all, { input: wide })).toBe("allow");
  });

  it("may be anything when no policy reads them", async () => {
    const named = onCall("permit", 'principal.name == "ada"');
    const policies = `permit(principal, action == Haft::Action::"list", resource); ${named}`;
    expect(await effect(policies, { input: { amount: 1e300 } })).toBe("allow");
    expect(await effect(policies, { validated: false })).toBe("allow");
  });

  it("have no null, and a list has only its strings", async () => {
    expect(await sees(`${path("text", "a")} == "x"`, { a: "x", b: null, c: [null] })).toBe("allow");
    expect(await sees(`${path("list", "to")}.contains("x")`, { to: ["x", 1, null, true] })).toBe("allow");
    expect(await sees(`${path("list", "to")} == ["x"]`, { to: ["x", 1] })).toBe("allow");
  });

  it.each([
    '{"":{"amount":1},"amount":1000000}',
    '{"amount":1000000,"":{"amount":1}}',
    '{"":{"":{"amount":1}},"amount":1000000}',
    '{"":[{"amount":1}],"amount":1000000}',
  ])("are not hidden by empty names: %s", async (text) => {
    const limit = `${all} ${onCall("forbid", `${path("number", "amount")} > 100`)}`;
    expect(await effect(limit, { input: JSON.parse(text) })).toBe("deny");
    expect(await effect(limit, { input: JSON.parse(text.replace("1000000", "100")) })).toBe("allow");
  });

  it("have a different path for each value", () => {
    const key = fc.constantFrom("", "/", "~", "~0", "~1", "~2", "a", "a/b", "0");
    const tree = fc.letrec((tie) => ({
      node: fc.oneof(
        { depthSize: "small" },
        fc.constant("leaf"),
        fc.dictionary(key, tie("node")),
        fc.array(tie("node")),
      ),
    })).node;
    const leaves = (node: unknown): number =>
      typeof node === "string"
        ? 1
        : Object.values(node as object).reduce((sum: number, child) => sum + leaves(child), 0);
    fc.assert(
      fc.property(tree, (input) => {
        fc.pre(leaves(input) < 500);
        const [texts] = inputEntities(input, new Set(["text"] as const));
        expect(Object.keys(texts?.tags ?? {})).toHaveLength(leaves(input));
      }),
    );
  });

  it("are denied when a policy reads them and they were not validated", async () => {
    const looks = `${all} ${onCall("forbid", `${path("flag", "force")}`)}`;
    expect(await effect(looks, { validated: false })).toBe("deny");
    expect(
      await effect(`${all} ${onCall("forbid", "[context.input].isEmpty()")}`, { validated: false }),
    ).toBe("deny");
    expect(await effect(all, { validated: false })).toBe("allow");
  });
});
