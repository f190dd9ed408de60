import { dynamicTool, generateText, isStepCount, jsonSchema, tool } from "ai";
import { Haft } from "haft";
import { fromAiSdkTools, type HaftExecutionOptions, toAiSdkTools } from "haft/integrations/ai-sdk";
import { retry } from "haft/layers";
import { expect, test } from "vitest";
import { z } from "zod";
import { lastToolResult, scriptedAiSdkModel } from "../../../kit/scripted-ai-sdk.ts";

const principal = { agent: "clerk", allow: ["*"] };

const add = tool({
  description: "Adds.",
  inputSchema: z.object({ a: z.number(), b: z.number().default(1) }),
  outputSchema: z.number(),
  execute: ({ a, b }) => a + b,
});

test("fromAiSdkTools returns tools with a ledger, a policy and their own validation", async () => {
  const { tools, losses } = fromAiSdkTools({ add });
  expect(losses).toEqual([]);
  const haft = await Haft.open({ tools, principal });
  // The AI SDK has the type of the validated input, in which defaults are present.
  expect(await haft.call("add", { a: 2 } as never)).toBe(3);
  await expect(haft.call("add", { a: "two" } as never)).rejects.toMatchObject({ code: "invalid_input" });
  expect((await haft.log()).map(({ tool: name, ending }) => `${name} ${ending}`)).toEqual([
    "add executed",
    "add failed",
  ]);
});

test("`about` overrides properties of a tool, and needsApproval makes calls pending", async () => {
  const { tools, losses } = fromAiSdkTools(
    { add: { ...add, needsApproval: true }, sub: { ...add, needsApproval: () => true } },
    { about: { add: { risk: "critical", annotations: { openWorld: true } } } },
  );
  expect(tools.map(({ spec }) => [spec.name, spec.requiresApproval, spec.risk])).toEqual([
    ["add", true, "critical"],
    ["sub", true, "low"],
  ]);
  expect(losses).toEqual([
    { tool: "sub", what: "`needsApproval` is a function: here every call requires approval." },
  ]);
  const haft = await Haft.open({ tools, principal });
  const session = haft.session();
  const [reply] = await session.turn([{ id: "c1", tool: "add", input: { a: 1 } }]);
  expect(reply).toMatchObject({ ok: false, pending: { tool: "add" } });
});

test("every schema form of the AI SDK keeps its own validation", async () => {
  const even = jsonSchema<{ n: number }>(
    {
      $schema: "http://json-schema.org/draft-07/schema#",
      type: "object",
      properties: { n: { type: "number" } },
      required: ["n"],
    },
    {
      validate: (value) => {
        const { n } = value as { n: number };
        return n % 2 === 0
          ? { success: true, value: { n: n / 2 } }
          : { success: false, error: new Error("n must be even") };
      },
    },
  );
  const half = tool({ description: "Halves.", inputSchema: even, execute: ({ n }) => n });
  const lazy = tool({ description: "Halves.", inputSchema: () => even, execute: ({ n }) => n });
  const plain = dynamicTool({
    description: "Anything.",
    inputSchema: jsonSchema({ type: "object", properties: { n: { type: "number" } }, required: ["n"] }),
    execute: (input) => (input as { n: number }).n,
  });
  const { tools, losses } = fromAiSdkTools({ half, lazy, plain });
  expect(losses).toEqual([]);
  const haft = await Haft.open({ tools, principal });
  for (const name of ["half", "lazy"]) {
    expect(await haft.call(name, { n: 4 })).toBe(2);
    await expect(haft.call(name, { n: 3 })).rejects.toMatchObject({
      message: expect.stringContaining("n must be even"),
    });
  }
  expect(await haft.call("plain", { n: 4 })).toBe(4);
  await expect(haft.call("plain", {})).rejects.toMatchObject({ code: "invalid_input" });
});

test("the last streamed result is the value, and the earlier ones are progress events", async () => {
  const count = tool({
    description: "Counts.",
    inputSchema: z.object({}),
    async *execute() {
      yield "one";
      yield "two";
      yield "three";
    },
  });
  const haft = await Haft.open({ tools: fromAiSdkTools({ count }).tools, principal });
  const reported: unknown[] = [];
  haft.on("tools.progress", ({ update }) => reported.push(update));
  expect(await haft.call("count", {})).toBe("three");
  expect(reported).toEqual(["one", "two"]);
});

test("a tool gets the call id, the abort signal and the env as its context", async () => {
  const seen: unknown[] = [];
  const look = tool({
    description: "Looks.",
    inputSchema: z.object({}),
    contextSchema: z.object({ team: z.string() }),
    execute: (_, { toolCallId, abortSignal, context }) => {
      seen.push(typeof toolCallId, abortSignal instanceof AbortSignal, context);
      return "";
    },
  });
  const { tools, losses } = fromAiSdkTools({ look });
  const haft = await Haft.open({ tools, principal });
  await haft.session().turn([{ id: "c1", tool: "look", input: {} }], { env: { team: "red" } });
  expect(seen).toEqual(["string", true, { team: "red" }]);
  expect(losses).toMatchObject([{ tool: "look", what: expect.stringContaining("contextSchema") }]);
});

test("each property that is not converted is reported as a loss", () => {
  const inputSchema = z.object({});
  const { tools, losses } = fromAiSdkTools({
    search: {
      type: "provider",
      id: "acme.search",
      args: {},
      isProviderExecuted: true,
      inputSchema,
      outputSchema: z.string(),
    },
    shell: {
      type: "provider",
      id: "acme.shell",
      args: {},
      isProviderExecuted: false,
      inputSchema,
      execute: () => "",
    },
    inBrowser: { description: "Asks.", inputSchema, outputSchema: z.string() },
    late: {
      description: "Late.",
      inputSchema: jsonSchema(Promise.resolve({ type: "object" as const })),
      execute: () => "",
    },
    rich: {
      description: () => "Now.",
      inputSchema,
      execute: () => "",
      toModelOutput: () => ({ type: "text" as const, value: "" }),
      onInputStart: () => {},
      providerOptions: { acme: {} },
      inputExamples: [{ input: {} }],
      strict: true,
    },
  });
  expect(tools.map(({ spec }) => spec.name)).toEqual(["shell", "rich"]);
  expect(losses.map(({ tool: name, what }) => `${name}: ${what}`)).toMatchInlineSnapshot(`
    [
      "search: Left out: its provider runs it, and Haft never sees the call.",
      "shell: It has no description: the model reads its title or its name instead.",
      "shell: Its \`id\` and \`args\` are not sent to the provider: here it is an ordinary tool.",
      "inBrowser: Left out: it has no \`execute\`, so the client runs it and Haft never sees the call.",
      "late: Omitted: its input schema is a promise, and a tool's schema must be available immediately.",
      "rich: \`toModelOutput\` is not used: the model reads the result as JSON.",
      "rich: Its description is a function: the model reads its title or its name instead.",
      "rich: \`onInputStart\`, \`onInputDelta\` and \`onInputAvailable\` are not called.",
      "rich: \`providerOptions\` are not sent.",
      "rich: \`inputExamples\` are not sent.",
      "rich: \`strict\`, \`deferLoading\` and \`metadata\` have no effect here.",
    ]
  `);
});

test("converted AI SDK tools run in the AI SDK loop under Haft", async () => {
  const haft = await Haft.open({ tools: fromAiSdkTools({ add }).tools, principal });
  const model = scriptedAiSdkModel([["c1", "add", { a: 2, b: 2 }]]);
  await generateText({
    model,
    tools: toAiSdkTools(haft.session()),
    prompt: "2 + 2?",
    stopWhen: isStepCount(3),
  });
  expect(lastToolResult(model, "c1")).toEqual({ type: "json", value: 4 });
  expect(await haft.log()).toMatchObject([{ callId: "c1", tool: "add", ending: "executed" }]);
});

test("a tool with an invalid name is left out with the reason, and the others are converted", () => {
  const made = (name: string) => ({
    [name]: tool({
      description: "Does it.",
      inputSchema: jsonSchema({ type: "object" }),
      execute: () => name,
    }),
  });
  const { tools, losses } = fromAiSdkTools({ ...made("fine"), ...made("not a name!"), ...made("also_fine") });
  expect(tools.map(({ spec }) => spec.name)).toEqual(["fine", "also_fine"]);
  expect(losses).toMatchObject([
    { tool: "not a name!", what: expect.stringMatching(/^Left out: .*not a name!/) },
  ]);
});

test("passes the idempotency key of the call to execute, the same one for every attempt", async () => {
  const keys: unknown[] = [];
  const pay = tool({
    description: "Pays.",
    inputSchema: z.object({}),
    execute: (_, { idempotencyKey }: HaftExecutionOptions) => {
      keys.push(idempotencyKey);
      if (keys.length === 1) throw new Error("try again");
      return "paid";
    },
  });
  const about = { pay: { annotations: { idempotent: true }, layers: [retry({ attempts: 2 })] } };
  const haft = await Haft.open({ tools: fromAiSdkTools({ pay }, { about }).tools, principal });
  expect(await haft.call("pay", {})).toBe("paid");
  expect(keys).toEqual([expect.stringMatching(/./), keys[0]]);
});
