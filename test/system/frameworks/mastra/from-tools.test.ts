import { RequestContext } from "@mastra/core/request-context";
import { createTool } from "@mastra/core/tools";
import { Haft } from "haft";
import { fromMastraTools, type HaftExecutionContext, type ImportedTools } from "haft/integrations/mastra";
import { afterEach, describe, expect, test } from "vitest";
import { z } from "zod";

let opened: { close: () => Promise<void> }[] = [];
afterEach(async () => {
  for (const each of opened) await each.close();
  opened = [];
});

const open = async ({ tools }: ImportedTools): Promise<Haft> => {
  const haft = await Haft.open({ tools, principal: { agent: "desk", allow: ["*"] } });
  opened.push(haft);
  return haft as Haft;
};

const add = createTool({
  id: "add-numbers",
  description: "Adds two numbers.",
  inputSchema: z.object({ a: z.number(), b: z.number().default(1) }),
  outputSchema: z.object({ sum: z.number() }),
  execute: async ({ a, b }) => {
    if (a < 0) throw new Error("Nothing below zero.");
    return { sum: a + b };
  },
});

describe("Mastra tools", () => {
  test("are validated, run and recorded under the name that the agent gives them", async () => {
    const { tools, losses } = fromMastraTools({ add });
    expect(losses).toEqual([]);
    const haft = await open({ tools, losses });
    expect(await haft.call("add", { a: 1, b: 2 })).toEqual({ sum: 3 });
    expect(await haft.call("add", { a: 1 })).toEqual({ sum: 2 });
    await expect(haft.call("add", { a: "one" })).rejects.toMatchObject({ code: "invalid_input" });
    await expect(haft.call("add", { a: -1 })).rejects.toMatchObject({ _tag: "ToolExecutionError" });
    expect(await haft.log()).toHaveLength(4);
  });

  test("fail when Mastra would return a validation error as a result", async () => {
    const even = createTool({
      id: "even",
      description: "Takes even numbers.",
      inputSchema: z.object({ a: z.number().refine((a) => a % 2 === 0, "not even") }),
      execute: async () => "even",
    });
    const haft = await open(fromMastraTools({ even }));
    await expect(haft.call("even", { a: 1 })).rejects.toThrow("not even");
    expect(await haft.call("even", { a: 2 })).toBe("even");
  });

  test("receive the RequestContext and the abort signal, and report progress", async () => {
    const who = createTool({
      id: "who",
      description: "Returns the caller.",
      execute: async (_input, { abortSignal, requestContext, writer }) => {
        await writer?.write({ done: 1 });
        return `${requestContext.get("user" as never)} ${abortSignal instanceof AbortSignal}`;
      },
    });
    const haft = await open(fromMastraTools({ who }));
    const received: unknown[] = [];
    haft.on("tools.progress", ({ update }) => received.push(update));
    expect(await haft.call("who", {}, { env: new RequestContext([["user", "ada"]]) })).toBe("ada true");
    expect(received).toMatchObject([{ type: "tool-output", payload: { output: { done: 1 } } }]);
  });

  test("need approval when requireApproval is set or a function", async () => {
    const ask = { id: "x", description: "Asks.", execute: async () => "done" };
    const { tools, losses } = fromMastraTools({
      always: createTool({ ...ask, requireApproval: true }),
      maybe: createTool({ ...ask, requireApproval: () => false }),
      never: createTool(ask),
    });
    expect(tools.map(({ spec }) => spec.requiresApproval)).toEqual([true, true, false]);
    expect(losses).toEqual([
      { tool: "maybe", what: "Its requireApproval function is not called: every call requires approval." },
    ]);
  });

  test("get properties from `about`", () => {
    const { tools } = fromMastraTools({ add }, { about: { add: { risk: "high", tags: ["sums"] } } });
    expect(tools[0]!.spec).toMatchObject({ name: "add", risk: "high", tags: ["sums"] });
  });

  test("fail when they suspend", async () => {
    const pause = createTool({
      id: "pause",
      description: "Suspends.",
      suspendSchema: z.object({}),
      execute: async (_input, { suspend }) => suspend?.({}),
    });
    const { tools, losses } = fromMastraTools({ pause });
    expect(losses).toEqual([{ tool: "pause", what: "A call in which it suspends itself fails." }]);
    await expect((await open({ tools, losses })).call("pause", {})).rejects.toThrow("suspends itself");
  });
});

test("each property that is not converted is reported as a loss", () => {
  const rich = createTool({
    id: "rich",
    description: "Has everything.",
    toModelOutput: () => "short",
    onOutput: () => {},
    providerOptions: { openai: {} },
    execute: async () => "",
  });
  const client = createTool({ id: "client", description: "Runs in a browser." });
  const hosted = { type: "provider-defined", id: "openai.web_search", args: {} } as never;
  const vercel = { inputSchema: z.object({}), execute: async () => "" } as never;
  const { tools, losses } = fromMastraTools({ rich, client, hosted, vercel });
  expect(tools.map(({ spec }) => spec.name)).toEqual(["rich"]);
  expect(losses.map(({ tool, what }) => `${tool}: ${what}`)).toEqual([
    "rich: Its toModelOutput is not called: the model reads its result as JSON.",
    "rich: Its onOutput hooks are not called.",
    "rich: These Mastra options have no effect here: providerOptions.",
    "client: A client runs it, so it has no code here.",
    "hosted: Its provider runs it, so it has no code to import.",
    "vercel: It is a tool of the AI SDK: use fromAiSdkTools.",
  ]);
});

test("a Mastra tool receives the idempotency key of the call in its context", async () => {
  const keys: unknown[] = [];
  const pay = createTool({
    id: "pay",
    description: "Pays.",
    inputSchema: z.object({}),
    execute: async (_, { idempotencyKey }: HaftExecutionContext) => {
      keys.push(idempotencyKey);
      return "paid";
    },
  });
  const haft = await open(fromMastraTools({ pay }));
  expect(await haft.call("pay", {})).toBe("paid");
  expect(keys).toEqual([expect.stringMatching(/./)]);
});
