import * as Effect from "effect/Effect";
import { Haft, type LedgerStore, type Principal, type Reply, tool } from "haft";
import { Pipeline, runtimeLayer } from "haft/effect";
import { expect, it } from "vitest";
import { memoryLedger } from "../src/ledger/memory.ts";
import { RunRecorder } from "../src/pipeline/recorder.ts";
import { LedgerError } from "../src/types/errors.ts";
import { failed, final, rewrite, succeeded } from "../src/types/outcome.ts";
import type { AnyLayer, Handler } from "../src/types/tool.ts";
import { callChangingLayer, outcomeChangingLayer, recordingLayer } from "./kit/test-layers.ts";

const everyone: Principal = { agent: "tester", allow: ["*"] };

const number = { type: "object", properties: { n: { type: "number" } }, required: ["n"] } as const;

const double = tool({
  name: "double",
  description: "Doubles a number",
  input: number,
  output: number,
  run: ({ n }) => ({ n: n * 2 }),
});

const plainRedactor = { value: (value: unknown) => value, text: (text: string) => text };

it("a valid call passes every stage and returns its result as JSON text", async () => {
  const haft = await Haft.open({ tools: [double], principal: everyone });
  const [reply] = await haft.turn([{ id: "1", tool: "double", input: '{"n":21}' }]);
  expect(reply).toMatchObject({ id: "1", tool: "double", ok: true, text: '{"n":42}', value: { n: 42 } });
  expect(await haft.log()).toMatchObject([
    {
      callId: "1",
      tool: "double",
      ending: "executed",
      input: '{"n":21}',
      result: '{"n":42}',
      agent: "tester",
    },
  ]);
});

it("the first failing stage is reported when every stage would fail", async () => {
  const broken = {
    id: "",
    tool: "nobody",
    allow: ["other"],
    input: "{nonsense",
    bind: (): never => {
      throw new Error("no code");
    },
    rules: [
      { effect: "allow", tools: ["*"] },
      { effect: "deny", tools: ["*"], when: { type: "object" } },
    ] as const,
    layer: outcomeChangingLayer(() => failed({ code: "overloaded", message: "busy" })),
    run: (): unknown => {
      throw new Error("it failed");
    },
  };
  type State = { -readonly [Key in keyof typeof broken]: unknown };
  const repairs: [keyof State, unknown][] = [
    ["id", "1"],
    ["tool", "double"],
    ["allow", ["*"]],
    ["input", '{"n":"many"}'],
    ["input", '{"n":1}'],
    ["bind", undefined],
    ["rules", [{ effect: "allow", tools: ["*"] }]],
    ["layer", outcomeChangingLayer((outcome) => outcome)],
    ["run", () => ({ n: "many" })],
    ["run", () => ({ n: 2 })],
  ];
  const blame = async (state: State): Promise<string> => {
    const run = state.run as () => unknown;
    const made = tool({
      name: "double",
      description: "Doubles a number",
      input: number,
      output: number,
      implementation: {
        _tag: "test",
        bind:
          (state.bind as undefined | (() => never)) ??
          (() => () => Effect.try({ try: run, catch: (error) => error })),
      },
    }).layer(state.layer as AnyLayer);
    const haft = await Haft.open({
      tools: [made],
      principal: { agent: "tester", allow: state.allow as string[] },
      policy: { rules: state.rules as [] },
    });
    const [reply] = await haft.turn([
      { id: state.id as string, tool: state.tool as string, input: state.input },
    ]);
    return reply?.failure?.code ?? "ok";
  };
  const state: State = { ...broken };
  const order = [await blame(state)];
  for (const [part, whole] of repairs) {
    state[part] = whole;
    order.push(await blame(state));
  }
  expect(order).toEqual([
    "unreadable_call",
    "unknown_tool",
    "not_visible",
    "unreadable_input",
    "invalid_input",
    "not_bound",
    "denied",
    "overloaded",
    "failed",
    "invalid_output",
    "ok",
  ]);
});

it("an invisible tool is reported as not available, whatever its arguments", async () => {
  const haft = await Haft.open({ tools: [double], principal: { agent: "stranger", allow: [] } });
  for (const input of ['{"n":1}', '{"n":"x"}', "{nonsense", undefined]) {
    const [reply] = await haft.turn([{ id: "1", tool: "double", input }]);
    expect(reply?.failure).toMatchObject({ code: "not_visible" });
    expect(reply?.text).toBe(
      'Error: The tool "double" is not available to you. No tools are available to you.',
    );
  }
});

it("no tool can be used without a principal", async () => {
  const haft = await Haft.open({ tools: [double] });
  await expect(haft.call("double", { n: 1 })).rejects.toMatchObject({ _tag: "ToolAuthorizationError" });
});

it("an unknown tool is answered with similar names and the available tools", async () => {
  const haft = await Haft.open({ tools: [double], principal: everyone });
  const [reply] = await haft.turn([{ id: "1", tool: "doubel", input: "{}" }]);
  expect(reply?.text).toBe(
    'Error: There is no tool named "doubel". Did you mean double? Tools you can use: double.',
  );
});

it("only tools of the offer can be called", async () => {
  const haft = await Haft.open({ tools: [double], principal: everyone });
  const { offer } = haft.offer();
  const later = tool({ name: "later", description: "Came later", input: number, run: () => 1 });
  haft.register(later);
  const [before] = await haft.turn([{ id: "1", tool: "later", input: '{"n":1}' }], { offer });
  const [after] = await haft.turn([{ id: "1", tool: "later", input: '{"n":1}' }], {
    offer: haft.offer().offer,
  });
  expect([before?.failure?.code, after?.ok]).toEqual(["unknown_tool", true]);
});

it("layers run in the order run, agent, tool, and the last layer of a scope is outermost", async () => {
  const seen: string[] = [];
  const haft = await Haft.open({
    tools: [double.layer(recordingLayer("tool-inner", seen)).layer(recordingLayer("tool-outer", seen))],
    layers: [recordingLayer("operator", seen)],
    principal: everyone,
  });
  await haft.call(
    "double",
    { n: 1 },
    { layers: [recordingLayer("run-inner", seen), recordingLayer("run-outer", seen)] },
  );
  expect(seen).toEqual([
    "operator in",
    "run-outer in",
    "run-inner in",
    "tool-outer in",
    "tool-inner in",
    "tool-inner out",
    "tool-outer out",
    "run-inner out",
    "run-outer out",
    "operator out",
  ]);
});

it("an agent's layers run between those of the run and those of the tool", async () => {
  const seen: string[] = [];
  const request = {
    raw: { id: "1", tool: "double", input: '{"n":1}' },
    entryId: "entry",
    scope: { id: "run", agent: "tester", tally: new RunRecorder() },
    layers: { run: [recordingLayer("run", seen)], agent: [recordingLayer("agent", seen)] },
    principal: everyone,
    correlationId: undefined,
    env: {},
  };
  const call = Effect.flatMap(Pipeline, (pipeline) => pipeline.call(request));
  const tools = [double.layer(recordingLayer("tool", seen))];
  const reply = await Effect.runPromise(
    Effect.provide(call, runtimeLayer({ tools })) as Effect.Effect<Reply>,
  );
  expect(reply.value).toEqual({ n: 2 });
  expect(seen).toEqual(["run in", "agent in", "tool in", "tool out", "agent out", "run out"]);
});

it("the outermost final outcome wins", async () => {
  const haft = await Haft.open({
    tools: [double.layer(outcomeChangingLayer(() => final({ n: 1 })))],
    layers: [outcomeChangingLayer(() => final({ n: 2 }))],
    principal: everyone,
  });
  const [reply] = await haft.turn([{ id: "1", tool: "double", input: '{"n":5}' }]);
  expect(reply).toMatchObject({ flow: { kind: "final" }, value: { n: 2 } });
});

it("an input that a layer rewrites is validated and authorized again", async () => {
  const ran: number[] = [];
  const spy = tool({ name: "spy", description: "Notes", input: number, run: ({ n }) => void ran.push(n) });
  const haft = await Haft.open({
    tools: [spy],
    principal: everyone,
    policy: {
      rules: [
        { effect: "allow", tools: ["*"] },
        { effect: "deny", tools: ["spy"], when: { properties: { n: { minimum: 100 } }, required: ["n"] } },
      ],
    },
  });
  const to = (n: unknown) => ({ layers: [callChangingLayer((call) => ({ ...call, input: { n } }))] });
  await haft.call("spy", { n: 1 }, to(2));
  await expect(haft.call("spy", { n: 1 }, to(200))).rejects.toMatchObject({ code: "denied" });
  await expect(haft.call("spy", { n: 1 }, to("many"))).rejects.toMatchObject({ code: "invalid_input" });
  expect(ran).toEqual([2]);
});

it("a layer cannot change the principal of a call", async () => {
  const haft = await Haft.open({ tools: [double], principal: everyone });
  const impostor = callChangingLayer((call) => ({ ...call, principal: { agent: "root", allow: ["*"] } }));
  await expect(haft.call("double", { n: 1 }, { layers: [impostor] })).rejects.toMatchObject({
    code: "denied",
  });
});

it("an input is frozen, and the caller's own object is not modified", async () => {
  const withDefault = {
    type: "object",
    properties: {
      list: { type: "array", items: { type: "string" } },
      unit: { type: "string", default: "m" },
    },
  };
  let got: unknown;
  const keep = tool({
    name: "keep",
    description: "Keeps its input",
    input: withDefault,
    run: (input) => {
      got = input;
    },
  });
  const haft = await Haft.open({ tools: [keep], principal: everyone });
  const mine = { list: ["a"] };
  await haft.call("keep", mine);
  expect(got).toEqual({ list: ["a"], unit: "m" });
  expect(Object.isFrozen(got) && Object.isFrozen((got as typeof mine).list)).toBe(true);
  expect(mine).toEqual({ list: ["a"] });
  expect(Object.isFrozen(mine)).toBe(false);
});

it("a result that breaks the output schema is withheld from the model", async () => {
  const liar = tool({
    name: "liar",
    description: "Lies",
    input: number,
    output: number,
    run: () => ({ n: "secret" }) as never,
  });
  const haft = await Haft.open({ tools: [liar], principal: everyone });
  const [reply] = await haft.turn([{ id: "1", tool: "liar", input: '{"n":1}' }]);
  expect(reply?.text).toBe(
    'Error: The result of "liar" was withheld because it does not match the tool\'s output schema.',
  );
  expect(reply?.failure).toMatchObject({ code: "invalid_output", issues: [{ pointer: "/n" }] });
});

it("rewritten, final and cached values are checked against the output schema", async () => {
  const haft = await Haft.open({ tools: [double], principal: everyone });
  for (const outcome of [rewrite({ n: "x" }), final({ n: "x" }), succeeded({ n: "x" })]) {
    const layers = [outcomeChangingLayer(() => outcome)];
    await expect(haft.call("double", { n: 1 }, { layers })).rejects.toMatchObject({ code: "invalid_output" });
  }
});

it("a rewrite replaces the reply, and the ledger keeps both values", async () => {
  const haft = await Haft.open({
    tools: [
      double.layer(
        outcomeChangingLayer((outcome) => rewrite({ n: 0 }, outcome._tag === "value" ? outcome.value : null)),
      ),
    ],
    principal: everyone,
  });
  const [reply] = await haft.turn([{ id: "1", tool: "double", input: '{"n":4}' }]);
  expect(reply?.text).toBe('{"n":0}');
  expect(await haft.log()).toMatchObject([{ flow: "rewrite", result: '{"n":0}', original: '{"n":8}' }]);
});

it.each([
  [
    "a thrown error",
    (): never => {
      throw new Error("no such city");
    },
    "failed",
    'Error: The tool "bad" failed: no such city',
  ],
  [
    "a rejected promise",
    () => Promise.reject(new Error("offline")),
    "failed",
    'Error: The tool "bad" failed: offline',
  ],
  ["a failed effect", () => Effect.fail({ _tag: "Gone" }), "failed", 'Error: The tool "bad" failed: Gone'],
  [
    "a dying effect",
    () => Effect.die("bug"),
    "crashed",
    'Error: The tool "bad" is not available right now. Continue without it.',
  ],
  [
    "a value that is not JSON",
    (): bigint => 10n,
    "invalid_output",
    'Error: The result of "bad" was withheld because it does not match the tool\'s output schema.',
  ],
] as const)("%s fails with its own code", async (_, run, code, text) => {
  const bad = tool({ name: "bad", description: "Fails", input: number, run: run as () => unknown });
  const haft = await Haft.open({ tools: [bad], principal: everyone });
  const [reply] = await haft.turn([{ id: "1", tool: "bad", input: '{"n":1}' }]);
  expect([reply?.failure?.code, reply?.text]).toEqual([code, text]);
});

it("a layer that throws fails only its own call", async () => {
  const broken: AnyLayer = () => () => {
    throw new Error("bad layer");
  };
  const haft = await Haft.open({
    tools: [double, double.withName("other").layer(broken)],
    principal: everyone,
  });
  const replies = await haft.turn([
    { id: "1", tool: "other", input: '{"n":1}' },
    { id: "2", tool: "double", input: '{"n":1}' },
  ]);
  expect(replies.map((reply) => reply.failure?.code ?? "ok")).toEqual(["layer_broke", "ok"]);
});

it("a layer that returns no outcome fails its own call", async () => {
  const untyped = outcomeChangingLayer(() => ({ value: 1 }) as never);
  const haft = await Haft.open({ tools: [double], principal: everyone });
  await expect(haft.call("double", { n: 1 }, { layers: [untyped] })).rejects.toMatchObject({
    code: "layer_broke",
  });
});

it("error codes of the run stage pass through from any implementation", async () => {
  const { MCPConnectionError, SandboxError } = await import("haft");
  const errors = [
    new MCPConnectionError("mcp_unreachable", "The server files is gone."),
    new SandboxError("sandbox_failed", "Out of memory."),
  ];
  for (const error of errors) {
    const remote = tool({
      name: "remote",
      description: "Lives elsewhere",
      input: number,
      implementation: { _tag: "elsewhere", bind: () => () => Effect.fail(error) },
    });
    const haft = await Haft.open({ tools: [remote], principal: everyone });
    await expect(haft.call("remote", { n: 1 })).rejects.toMatchObject({ _tag: error._tag, code: error.code });
  }
});

const downLedger = (when: "open" | "close"): LedgerStore => {
  const memory = memoryLedger({ redactor: plainRedactor });
  const down = () => Effect.fail(new LedgerError("ledger_unavailable", "disk full"));
  return { ...memory, [when]: down };
};

it("no writing tool runs while the ledger cannot open an entry", async () => {
  let ran = 0;
  const write = tool({ name: "write", description: "Writes", input: number, run: () => ++ran });
  const read = tool({
    name: "read",
    description: "Reads",
    input: number,
    annotations: { readOnly: true },
    run: () => ++ran,
  });
  const open = (readsWithoutLedger: boolean) =>
    Haft.open({
      tools: [write, read],
      principal: everyone,
      ledger: downLedger("open"),
      config: { ledger: { readsWithoutLedger } },
    });
  const calls = [
    { id: "1", tool: "write", input: '{"n":1}' },
    { id: "2", tool: "read", input: '{"n":1}' },
  ];
  const codes = async (haft: Haft<never>) =>
    (await haft.turn(calls)).map((reply) => reply.failure?.code ?? "ok");
  expect(await codes((await open(false)) as never)).toEqual(["ledger_unavailable", "ledger_unavailable"]);
  expect(ran).toBe(0);
  expect(await codes((await open(true)) as never)).toEqual(["ledger_unavailable", "ok"]);
  expect(ran).toBe(1);
});

it("a result that cannot be recorded is not returned", async () => {
  const haft = await Haft.open({ tools: [double], principal: everyone, ledger: downLedger("close") });
  const [reply] = await haft.turn([{ id: "1", tool: "double", input: '{"n":1}' }]);
  expect(reply?.failure).toMatchObject({ code: "ledger_unavailable", ran: true });
  expect(reply?.text).toContain("Do not call it again");
});

it("a lenient tool receives an invalid input, and the ledger records the violation", async () => {
  let got: unknown;
  const easy = tool({
    name: "easy",
    description: "Takes anything",
    input: number,
    validate: "lenient",
    run: (input) => {
      got = input;
    },
  });
  const haft = await Haft.open({ tools: [easy], principal: everyone });
  await haft.turn([{ id: "1", tool: "easy", input: '{"n":"many"}' }]);
  expect(got).toEqual({ n: "many" });
  const [entry] = await haft.log();
  expect(entry?.notes).toEqual([expect.stringContaining("lenient input: ")]);
});

it("a handler type-checks only for an authorized call", () => {
  const handler = (() => Effect.succeed(succeeded(1))) as Handler;
  // @ts-expect-error a bound call was never authorized
  expect(() => handler({} as import("../src/types/call.ts").BoundCall)).not.toThrow();
});
