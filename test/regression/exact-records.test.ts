import * as Effect from "effect/Effect";
import { Haft, hydrate, tool } from "haft";
import { type AuthorizedCall, inputSchema, rewrite, type ToolLayer } from "haft/layers";
import { describe, expect, it } from "vitest";

const principal = { agent: "tester", allow: ["*"] };

/** A layer that inspects the call before it continues. */
const beforeNext =
  (look: (call: AuthorizedCall) => AuthorizedCall | undefined): ToolLayer =>
  (next) =>
  (call) =>
    Effect.suspend(() => next(look(call) ?? call));

const taker = () => {
  const taken: unknown[] = [];
  const take = tool({
    name: "take",
    description: "Takes an amount",
    input: {
      type: "object",
      properties: { amount: { type: "number" }, more: {} },
      required: ["amount"],
    },
    run: ({ amount }: { amount: number }) => {
      taken.push(amount);
      return amount;
    },
  });
  return { take, taken };
};

describe("a layer", () => {
  const give = tool({ name: "give", description: "Gives", input: [], run: () => ({ amount: 7 }) });

  it("that rewrites a value does not change the original value in the ledger", async () => {
    const hiding: ToolLayer = (next) => (call) => Effect.as(next(call), rewrite("hidden"));
    const haft = await Haft.open({ tools: [give.layer(hiding)], principal });
    expect(await haft.call("give", {})).toBe("hidden");
    expect((await haft.log())[0]).toMatchObject({
      flow: "rewrite",
      result: '"hidden"',
      original: '{"amount":7}',
    });
  });

  it("that rewrites a value and names the original determines it, and the ledger has it as JSON text", async () => {
    const hiding: ToolLayer = (next) => (call) => Effect.as(next(call), rewrite("hidden", "named"));
    const haft = await Haft.open({ tools: [give.layer(hiding)], principal });
    await haft.call("give", {});
    expect((await haft.log())[0]).toMatchObject({ result: '"hidden"', original: '"named"' });
  });

  it("that sets lenient validation passes changed arguments to a strict tool, and the ledger records it", async () => {
    const { take, taken } = taker();
    const breaks = beforeNext((call) => ({ ...call, input: { amount: "many" } }));
    const haft = await Haft.open({ tools: [take.layer(inputSchema("lenient"), breaks)], principal });
    expect((await haft.turn([{ id: "1", tool: "take", input: '{"amount":1}' }]))[0]?.failure).toBeUndefined();
    expect(taken).toEqual(["many"]);
    expect((await haft.log())[0]?.notes?.join()).toContain("amount");
  });
});

describe("haft.execute", () => {
  const throwing = (member: string): unknown =>
    Object.defineProperty(
      { toolName: "take", arguments: { amount: 1 }, agentId: "a", sessionId: "s" },
      member,
      {
        get: () => {
          throw new Error("no");
        },
      },
    );

  for (const [kind, make] of [
    ["null", () => null],
    ["undefined", () => undefined],
    ["a text", () => "take"],
    ["no members", () => ({})],
    ["a tool name that throws", () => throwing("toolName")],
    ["arguments that throw", () => throwing("arguments")],
    ["an agent that throws", () => throwing("agentId")],
    ["a session that throws", () => throwing("sessionId")],
    ["a correlation id that throws", () => throwing("correlationId")],
    [
      "a proxy that always throws",
      () =>
        new Proxy(
          {},
          {
            get: () => {
              throw new Error("no");
            },
          },
        ),
    ],
  ] as const) {
    it(`answers ${kind} with a failed output instead of throwing`, async () => {
      const { take, taken } = taker();
      const haft = await Haft.open({ tools: [take], principal });
      let output: unknown;
      try {
        output = await haft.execute(make() as never);
      } catch (thrown) {
        output = `it threw ${thrown}`;
      }
      expect(output).toMatchObject({ success: false, result: null, error: expect.any(String) });
      expect(taken).toEqual([]);
    });
  }
});

describe("a hydration that failed", () => {
  const save = tool({
    name: "save",
    description: "Saves",
    input: { type: "object", properties: { title: { type: "string" } }, required: ["title"] },
    run: () => "saved",
  });
  const bad = { id: "1", tool: "save", input: '{"title":5}' };
  const repairer = async () => '{"title":6}';

  it("after a model could not repair it is recorded as not repaired, in the result and in the ledger", async () => {
    const haft = await Haft.open({ tools: [save], principal });
    const [result] = await haft.hydrate([bad], { repair: "model", repairer });
    await haft.turn([{ ...bad, id: "2" }], { repair: "model", repairer });
    const rows = await haft.log();
    expect(result).toMatchObject({ success: false, provenance: { repaired: false, changes: [] } });
    expect(rows.map(({ provenance }) => provenance)).toEqual([
      expect.objectContaining({ validated: false, repaired: false, changes: [] }),
      expect.objectContaining({ validated: false, repaired: false, changes: [] }),
    ]);
    expect(rows.map(({ ranWith }) => ranWith)).toEqual([undefined, undefined]);
    expect(await hydrate(bad, save.spec, { repair: "model", repairer })).toMatchObject({
      success: false,
      provenance: { repaired: false, changes: [] },
    });
  });

  it("names the tool and the definition that it was validated against", async () => {
    const haft = await Haft.open({ tools: [save], principal });
    await haft.call("save", { title: "a" });
    const [failed, unreadable] = await haft.hydrate([bad, { ...bad, id: "2", input: "{" }]);
    await haft.turn([{ ...bad, id: "3" }]);
    const [good, ...rows] = await haft.log();
    expect(good?.definition).toEqual(expect.any(String));
    expect(rows.map(({ definition, tool }) => [tool, definition])).toEqual(
      rows.map(() => ["save", good?.definition]),
    );
    expect(rows).toHaveLength(3);
    expect([failed?.provenance.tool, unreadable?.provenance.tool]).toEqual(["save", "save"]);
  });
});
