import * as Effect from "effect/Effect";
import { type Failure, final, Haft, handoff, type Reply, rewrite, tool } from "haft";
import { failed } from "haft/layers";
import { describe, expect, it } from "vitest";
import { memoryLedger } from "../../src/ledger/memory.ts";
import { LedgerError } from "../../src/types/errors.ts";
import type { AnyLayer } from "../../src/types/tool.ts";

const principal = { agent: "tester", allow: ["*"] };
const any = { type: "object" } as const;

const reply = async (
  run: () => unknown,
  options: { readonly layers?: readonly AnyLayer[]; readonly approval?: boolean } = {},
): Promise<Reply> => {
  const made = tool({
    name: "work",
    description: "Works",
    input: any,
    requiresApproval: options.approval ?? false,
    run,
  });
  const layers = options.layers ?? [];
  const haft = await Haft.open({ tools: [made], principal, layers, approver: () => undefined });
  const [only] = await haft.turn([{ id: "1", tool: "work", input: "{}" }]);
  return only as Reply;
};

const answering =
  (failure: Failure): AnyLayer =>
  () =>
  () =>
    Effect.succeed(failed(failure));

describe("a reply", () => {
  it("to a value has these members", async () => {
    expect(await reply(() => ({ n: 1 }))).toEqual({
      id: "1",
      tool: "work",
      ok: true,
      text: '{"n":1}',
      flow: { kind: "continue" },
      value: { n: 1 },
    });
  });

  it("to a failure has these members", async () => {
    expect(await reply(() => 1, { layers: [answering({ code: "overloaded", message: "Busy." })] })).toEqual({
      id: "1",
      tool: "work",
      ok: false,
      text: "Error: Busy.",
      flow: { kind: "continue" },
      failure: { code: "overloaded", message: "Busy." },
    });
  });

  it("to a pending call has these members", async () => {
    expect(await reply(() => 1, { approval: true })).toEqual({
      id: "1",
      tool: "work",
      ok: false,
      text: 'The call of "work" is pending approval.',
      flow: { kind: "continue" },
      pending: {
        id: expect.any(String),
        callId: "1",
        runId: expect.any(String),
        tool: "work",
        principal,
        input: {},
        reason: expect.any(String),
        askedAt: expect.any(Number),
        expiresAt: expect.any(Number),
      },
    });
  });

  it.each<[string, () => unknown, unknown, string]>([
    ["a final value", () => final("bye"), { kind: "final" }, "bye"],
    ["a handoff", () => handoff("writer"), { kind: "handoff", agent: "writer" }, '{"handoff":"writer"}'],
    ["a rewritten value", () => rewrite("short", "long"), { kind: "rewrite", original: "long" }, "short"],
    ["nothing", () => undefined, { kind: "continue" }, "null"],
  ])("to %s has the flow of the turn", async (_, run, flow, text) => {
    expect(await reply(run)).toMatchObject({ ok: true, flow, text });
  });
});

describe("the text of a failure", () => {
  it("for models is its message", async () => {
    const failure: Failure = { code: "failed", message: "The city is unknown.", detail: "shard 7" };
    expect((await reply(() => 1, { layers: [answering(failure)] })).text).toBe("Error: The city is unknown.");
  });

  it.each(["not_bound", "layer_broke", "crashed", "secret_missing"] as const)(
    "of %s, which is for operators, is a generic sentence",
    async (code) => {
      const { text } = await reply(() => 1, { layers: [answering({ code, message: "inner workings" })] });
      expect(text).toBe('Error: The tool "work" is not available right now. Continue without it.');
    },
  );

  it("about a result that breaks its schema says that the result was withheld", async () => {
    const { text } = await reply(() => 1n);
    expect(text).toBe(
      'Error: The result of "work" was withheld because it does not match the tool\'s output schema.',
    );
  });

  it("about a ledger that cannot be written says whether the tool ran", async () => {
    const plain = { value: (value: unknown) => value, text: (text: string) => text };
    const no = () => Effect.fail(new LedgerError("ledger_unavailable", "disk full"));
    const made = tool({ name: "work", description: "Works", input: any, run: () => 1 });
    const texts: unknown[] = [];
    for (const broken of [{ open: no }, { close: no }]) {
      const ledger = { ...memoryLedger({ redactor: plain }), ...broken };
      const haft = await Haft.open({ tools: [made], principal, ledger });
      texts.push((await haft.turn([{ id: "1", tool: "work", input: "{}" }]))[0]?.text);
    }
    expect(texts).toEqual([
      'Error: The tool "work" cannot run because calls cannot be recorded right now.',
      'Error: The tool "work" ran, but its outcome could not be recorded. Do not call it again for the same purpose.',
    ]);
  });
});

describe("the envelope of execute", () => {
  const run = async (toolName: string) => {
    const made = tool({ name: "work", description: "Works", input: any, run: () => "done" });
    const haft = await Haft.open({ tools: [made], principal });
    return haft.execute({ toolName, arguments: {}, agentId: "a", sessionId: "s", correlationId: "c" });
  };

  it("around a value has these members", async () => {
    expect(await run("work")).toEqual({
      toolName: "work",
      success: true,
      result: "done",
      executionTimeMs: expect.any(Number),
      metadata: { callId: expect.any(String), flow: "continue", correlationId: "c" },
    });
  });

  it("around a failure has these members", async () => {
    expect(await run("nobody")).toEqual({
      toolName: "nobody",
      success: false,
      result: null,
      error: 'There is no tool named "nobody". Tools you can use: work.',
      executionTimeMs: expect.any(Number),
      metadata: { callId: expect.any(String), flow: "continue", correlationId: "c", code: "unknown_tool" },
    });
  });
});
