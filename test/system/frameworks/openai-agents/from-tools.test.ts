import { Agent, type RunContext, shellTool, tool, webSearchTool } from "@openai/agents";
import { Haft } from "haft";
import { fromOpenAiAgentsTools, type ImportedTools } from "haft/integrations/openai-agents";
import { afterEach, describe, expect, test } from "vitest";
import { z } from "zod";

const plain = {
  type: "object" as const,
  properties: {},
  required: [],
  additionalProperties: true as const,
};
const principal = { agent: "desk", allow: ["*"] };

let opened: { close: () => Promise<void> }[] = [];
afterEach(async () => {
  for (const each of opened) await each.close();
  opened = [];
});

const open = async ({ tools }: ImportedTools): Promise<Haft> => {
  const haft = await Haft.open({ tools, principal });
  opened.push(haft);
  return haft as Haft;
};

const add = tool({
  name: "add",
  description: "Adds two numbers.",
  parameters: z.object({ a: z.number(), b: z.number() }),
  errorFunction: null,
  execute: ({ a, b }) => {
    if (a < 0) throw new Error("Nothing below zero.");
    return a + b;
  },
});

describe("OpenAI Agents SDK tools", () => {
  test("are validated, run and recorded", async () => {
    const haft = await open(await fromOpenAiAgentsTools([add]));
    expect(await haft.call("add", { a: 1, b: 2 })).toBe(3);
    await expect(haft.call("add", { a: "one", b: 2 })).rejects.toMatchObject({ code: "invalid_input" });
    expect(await haft.log()).toHaveLength(2);
  });

  test("fail when they throw", async () => {
    const haft = await open(await fromOpenAiAgentsTools([add]));
    await expect(haft.call("add", { a: -1, b: 2 })).rejects.toMatchObject({ _tag: "ToolExecutionError" });
  });

  test("get properties from `about`", async () => {
    const about = { add: { risk: "high", tags: ["sums"] } } as const;
    const { tools } = await fromOpenAiAgentsTools([add], { about });
    expect(tools[0]!.spec).toMatchObject({ name: "add", risk: "high", tags: ["sums"] });
  });

  test("receive the env as their context, and the abort signal", async () => {
    const whoAmI = tool({
      name: "who_am_i",
      description: "Returns the caller.",
      strict: false,
      parameters: plain,
      execute: (_input, run, details = {}) =>
        `${(run as RunContext<{ user: string }>).context.user} ${details.signal instanceof AbortSignal} ${details.toolCall?.callId !== ""}`,
    });
    const haft = await open(await fromOpenAiAgentsTools([whoAmI]));
    expect(await haft.call("who_am_i", {}, { env: { user: "ada" } })).toBe("ada true true");
  });

  test("are converted from the mixed tools of an agent", async () => {
    const agent = new Agent({ name: "desk", tools: [add, webSearchTool()] });
    const { tools, losses } = await fromOpenAiAgentsTools(agent.tools);
    expect(tools.map(({ spec }) => spec.name)).toEqual(["add"]);
    expect(losses.at(-1)).toMatchObject({ tool: "web_search", what: expect.stringContaining("hosted_tool") });
  });
});

describe("OpenAI Agents SDK tool with needsApproval", () => {
  const deleting = (needsApproval: boolean | (() => Promise<boolean>), isEnabled = true) =>
    tool({
      name: "delete",
      description: "Deletes a file.",
      strict: false,
      parameters: plain,
      needsApproval,
      isEnabled,
      execute: () => "deleted",
    });

  test("needs approval", async () => {
    const { tools } = await fromOpenAiAgentsTools([deleting(true)]);
    expect(tools[0]!.spec.requiresApproval).toBe(true);
    await expect((await open({ tools, losses: [] })).call("delete", {})).rejects.toMatchObject({
      failure: { code: expect.stringMatching(/approval/) },
    });
  });

  test("does not run when its function asks for approval after the call was allowed", async () => {
    let calls = 0;
    const later = async () => ++calls > 1;
    const haft = await open(await fromOpenAiAgentsTools([deleting(later)]));
    await expect(haft.call("delete", {})).rejects.toThrow("requiresApproval: true");
  });

  test("runs without approval when `about` says so", async () => {
    const about = { delete: { requiresApproval: false } };
    const haft = await open(await fromOpenAiAgentsTools([deleting(true)], { about }));
    expect(await haft.call("delete", {})).toBe("deleted");
  });

  test("does not run when it is disabled", async () => {
    const haft = await open(await fromOpenAiAgentsTools([deleting(false, false)]));
    await expect(haft.call("delete", {})).rejects.toThrow("not enabled");
  });
});

test("each property that is not converted is reported as a loss", async () => {
  const rich = tool({
    name: "rich",
    description: "Has everything.",
    strict: false,
    parameters: plain,
    timeoutMs: 1000,
    deferLoading: true,
    inputGuardrails: [{ name: "careful", run: async () => ({ behavior: { type: "allow" } }) }],
    execute: () => "",
  });
  const shell = shellTool({ shell: { run: async () => ({ output: [] }) } });
  const { losses } = await fromOpenAiAgentsTools([rich, shell]);
  expect(losses.map(({ tool: of, what }) => `${of}: ${what.split(" ").slice(0, 3).join(" ")}`)).toEqual([
    "rich: Unless its errorFunction",
    "rich: Its own timeout",
    "rich: Its guardrails only",
    "rich: These SDK options",
    "shell: It has the",
  ]);
});

test("an OpenAI Agents SDK tool receives the idempotency key of the call in its details", async () => {
  const keys: unknown[] = [];
  const pay = tool({
    name: "pay",
    description: "Pays.",
    parameters: z.object({}),
    errorFunction: null,
    execute: (_, __, details) => {
      keys.push(details?.toolCall?.providerData?.idempotencyKey);
      return "paid";
    },
  });
  const haft = await open(await fromOpenAiAgentsTools([pay]));
  expect(await haft.call("pay", {})).toBe("paid");
  expect(keys).toEqual([expect.stringMatching(/./)]);
});
