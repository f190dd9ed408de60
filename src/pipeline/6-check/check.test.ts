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

describe("a result", () => {
  it("that breaks its promise is withheld, and operators read where and why", async () => {
    const broken = await reply({ n: "many", m: secret }, { output: promise });
    expect(broken?.failure).toMatchObject({
      code: "invalid_output",
      tool: "work",
      ran: true,
      issues: [{ pointer: "/n" }],
    });
    expect(broken?.failure?.message).toMatch(/^The result of "work" breaks its promise: .+\.$/);
    expect(broken?.taints).toEqual(["work"]);
    expect(broken?.text).not.toContain(secret);
  });

  it("that is no JSON is withheld although nothing was promised", async () => {
    const broken = await reply(() => 1);
    expect(broken?.failure).toStrictEqual({
      code: "invalid_output",
      tool: "work",
      ran: true,
      message: 'The result of "work" breaks its promise: it holds a function, which JSON does not have.',
    });
  });

  it("that hands over to another agent is held against no promise", async () => {
    const given = await reply(handoff("clerk"), { output: promise });
    expect([given?.ok, given?.flow]).toEqual([true, { kind: "handoff", agent: "clerk" }]);
  });

  it("is what the author's own schema made of it, read once more into JSON", async () => {
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

describe("the size of a result", () => {
  it("is counted in bytes of its text: as many as the limit says, and not one more", async () => {
    const ok = async (value: string, maxResultBytes: number) => (await reply(value, { maxResultBytes }))?.ok;
    // Two quotes, and the letters between them.
    expect(await ok("x".repeat(1_022), 1_024)).toBe(true);
    expect(await ok("x".repeat(1_023), 1_024)).toBe(false);
    expect(await ok("ä".repeat(511), 1_024)).toBe(true);
    expect(await ok("ä".repeat(512), 1_024)).toBe(false);
    expect(await ok("€".repeat(340), 1_024)).toBe(true);
    expect(await ok("€".repeat(341), 1_024)).toBe(false);
  });

  it("that is too large is told to operators, and the result is withheld with its taint", async () => {
    const large = await reply("x".repeat(2_000), { maxResultBytes: 1_024 });
    expect(large?.failure).toMatchObject({
      code: "invalid_output",
      message: 'The result of "work" breaks its promise: it is larger than 1024 bytes.',
    });
    expect(large?.taints).toEqual(["work"]);
    expect(large?.text).not.toContain("xxx");
  });
});
