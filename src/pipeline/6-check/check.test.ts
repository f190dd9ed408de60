import { Haft, handoff, tool } from "haft";
import { describe, expect, it } from "vitest";

const principal = { agent: "tester", allow: ["*"] };
const secret = "canary-77b1";
const promise = { type: "object", properties: { n: { type: "number" } }, required: ["n"] } as const;

const reply = async (value: unknown, { maxResultBytes, ...more }: Record<string, unknown> = {}) => {
  const work = tool({
    name: "work",
    description: "Works",
    input: [],
    annotations: { readOnly: true, openWorld: true },
    run: () => value,
    ...more,
  });
  const limits = maxResultBytes === undefined ? {} : { maxResultBytes };
  const haft = await Haft.open({ tools: [work], principal, config: { limits } } as never);
  const [only] = await haft.turn([{ id: "1", tool: "work", input: "{}" }]);
  return only;
};

describe("result", () => {
  it("is withheld when it breaks the output schema, with the issues for operators", async () => {
    const broken = await reply({ n: "many", m: secret }, { output: promise });
    expect(broken?.failure).toMatchObject({
      code: "invalid_output",
      tool: "work",
      ran: true,
      issues: [{ pointer: "/n" }],
    });
    expect(broken?.failure?.message).toMatch(/^The result of "work" is invalid: .+\.$/);
    expect(broken?.taints).toEqual(["work"]);
    expect(broken?.text).not.toContain(secret);
  });

  it("is withheld when it is not JSON, even without an output schema", async () => {
    const broken = await reply(() => 1);
    expect(broken?.failure).toStrictEqual({
      code: "invalid_output",
      tool: "work",
      ran: true,
      message: 'The result of "work" is invalid: it contains a function, which JSON does not have.',
    });
  });

  it("is not validated when it is a handoff", async () => {
    const given = await reply(handoff("clerk"), { output: promise });
    expect([given?.ok, given?.flow]).toEqual([true, { kind: "handoff", agent: "clerk" }]);
  });

  it("is the value that the schema of the author returns, converted to JSON", async () => {
    const schema = (make: (value: unknown) => unknown) => ({
      "~standard": {
        version: 1,
        vendor: "test",
        validate: (value: unknown) => ({ value: make(value) }),
        jsonSchema: { input: () => ({}), output: () => ({}) },
      },
    });
    expect((await reply(1, { output: schema(() => ({ day: new Date(0) })) }))?.value).toEqual({
      day: "1970-01-01T00:00:00.000Z",
    });
    expect((await reply(1, { output: schema(() => () => 1) }))?.failure?.code).toBe("invalid_output");
  });
});

describe("size of a result", () => {
  it("is limited in bytes of its JSON text", async () => {
    const ok = async (value: string, maxResultBytes: number) => (await reply(value, { maxResultBytes }))?.ok;
    // The JSON text includes two quotes.
    expect(await ok("x".repeat(1_022), 1_024)).toBe(true);
    expect(await ok("x".repeat(1_023), 1_024)).toBe(false);
    expect(await ok("ä".repeat(511), 1_024)).toBe(true);
    expect(await ok("ä".repeat(512), 1_024)).toBe(false);
    expect(await ok("€".repeat(340), 1_024)).toBe(true);
    expect(await ok("€".repeat(341), 1_024)).toBe(false);
  });

  it("is reported when it exceeds the limit, and the result is withheld with its taint", async () => {
    const large = await reply("x".repeat(2_000), { maxResultBytes: 1_024 });
    expect(large?.failure).toMatchObject({
      code: "invalid_output",
      message: 'The result of "work" is invalid: it is larger than 1024 bytes.',
    });
    expect(large?.taints).toEqual(["work"]);
    expect(large?.text).not.toContain("xxx");
  });
});
