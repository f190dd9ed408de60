import { ToolMessage } from "@langchain/core/messages";
import { RunnableLambda } from "@langchain/core/runnables";
import { DynamicTool } from "@langchain/core/tools";
import { Command, interrupt, MemorySaver } from "@langchain/langgraph";
import { Haft } from "haft";
import {
  fromLangChainTools,
  type ImportToolsOptions,
  type LangChainTool,
  toLangChainTools,
} from "haft/integrations/langchain";
import { createAgent, tool as langchainTool } from "langchain";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import {
  mailRequest,
  scriptedCallModel,
  threadConfig,
  toolResultsOf,
  writtenCall,
} from "../../kit/langchain-scene.ts";

const none = { type: "object", properties: {} } as const;
const about = (name: string) => ({ name, description: `The tool ${name}` });

const opened = async (tools: readonly LangChainTool[], options?: ImportToolsOptions) => {
  const taken = fromLangChainTools(tools, options);
  const haft = await Haft.open({
    tools: taken.tools,
    principal: { agent: "clerk", allow: ["*"] },
    approver: () => undefined,
  });
  const session = haft.session();
  const turn = async (tool: string, input: unknown, onProgress?: (update: unknown) => void) =>
    (await session.turn([{ id: `${tool}-1`, tool, input }], { ...(onProgress && { onProgress }) }))[0]!;
  return { ...taken, session, turn };
};

describe("LangChain tools", () => {
  it("receive the arguments parsed by their schema, and return the value of their code", async () => {
    const add = langchainTool(({ a, b }) => ({ sum: a + b }), {
      ...about("add"),
      schema: z.object({ a: z.string().transform(Number), b: z.number().default(40) }),
    });
    const { losses, tools, turn } = await opened([add]);
    expect(losses).toEqual([]);
    expect(tools[0]?.spec).toMatchObject({ name: "add", description: "The tool add" });
    expect(await turn("add", { a: "2" })).toMatchObject({ ok: true, value: { sum: 42 } });
    expect(await turn("add", { a: [] })).toMatchObject({ ok: false, failure: { code: "invalid_input" } });
  });

  it("may take a string or be a runnable", async () => {
    const shout = new DynamicTool({ ...about("shout"), func: async (text) => text.toUpperCase() });
    const double = RunnableLambda.from(({ n }: { n: number }) => n * 2).asTool({
      ...about("double"),
      schema: z.object({ n: z.number() }),
    });
    const { turn } = await opened([shout, double]);
    expect((await turn("shout", { input: "hey" })).value).toBe("HEY");
    expect((await turn("double", { n: 4 })).value).toBe(8);
  });

  it("receive the abort signal and their call id", async () => {
    const seen: unknown[] = [];
    const look = langchainTool(
      (_, config) => {
        seen.push([(config as { toolCallId?: string }).toolCallId, config.signal instanceof AbortSignal]);
        return "";
      },
      { ...about("look"), schema: none },
    );
    await (await opened([look])).turn("look", {});
    expect(seen).toEqual([["look-1", true]]);
  });

  it("report progress by yielding it", async () => {
    const steps = langchainTool(
      async function* () {
        yield { step: 1 };
        yield { step: 2 };
        return "there";
      } as never,
      { ...about("steps"), schema: none },
    );
    const updates: unknown[] = [];
    const { value } = await (await opened([steps])).turn("steps", {}, (progress) => updates.push(progress));
    expect(value).toBe("there");
    expect(updates).toMatchObject([{ update: { step: 1 } }, { update: { step: 2 } }]);
  });

  it("fail when they throw, return an error message, or need a graph", async () => {
    const throws = langchainTool(
      () => {
        throw new Error("the disk is full");
      },
      { ...about("throws"), schema: none },
    );
    const errs = langchainTool(
      () => new ToolMessage({ content: "no such file", status: "error", tool_call_id: "" }),
      { ...about("errs"), schema: none },
    );
    const commands = langchainTool(() => new Command({ goto: "elsewhere" }), {
      ...about("commands"),
      schema: none,
    });
    const asks = langchainTool(() => interrupt("may I?"), { ...about("asks"), schema: none });
    const { turn } = await opened([throws, errs, commands, asks]);
    expect((await turn("throws", {})).text).toContain("the disk is full");
    expect((await turn("errs", {})).text).toContain("no such file");
    expect((await turn("commands", {})).text).toContain("without a graph");
    expect((await turn("asks", {})).text).toContain("without a graph");
  });

  it("fail instead of pausing the graph that runs their session", async () => {
    const asks = langchainTool(() => interrupt("may I?"), { ...about("asks"), schema: none });
    const { session } = await opened([asks]);
    const agent = createAgent({
      model: scriptedCallModel([writtenCall("asks", {}, "c1")]),
      tools: toLangChainTools(session),
      checkpointer: new MemorySaver(),
    });
    const result = await agent.invoke(mailRequest, threadConfig);
    expect(toolResultsOf(result)).toEqual([["c1", "error", expect.stringContaining("without a graph")]]);
  });

  it("need approval when `about` requires it", async () => {
    const wipe = langchainTool(() => "gone", { ...about("wipe"), schema: none });
    const { turn } = await opened([wipe], { about: { wipe: { requiresApproval: true } } });
    expect((await turn("wipe", {})).pending).toMatchObject({ tool: "wipe" });
  });

  it("are left out without code, and every lost property is reported", async () => {
    const picture = langchainTool(() => ["a cat", { bytes: 3 }], {
      ...about("picture"),
      schema: none,
      responseFormat: "content_and_artifact",
      extras: { defer_loading: true },
      returnDirect: true,
    });
    const { losses, tools, turn } = await opened([
      picture,
      { ...about("client_side"), schema: z.object({}) },
      { type: "function", function: { name: "spelled", parameters: none } },
      { type: "web_search_20250305", name: "web_search" },
    ]);
    expect(tools.map(({ spec }) => spec.name)).toEqual(["picture"]);
    expect((await turn("picture", {})).value).toBe("a cat");
    expect(losses.map(({ tool, what }) => `${tool}: ${what}`)).toEqual([
      "picture: It returns content and an artifact: the content is kept, the artifact is dropped.",
      "picture: It ends its agent's run with its result (returnDirect): here the model receives the result and continues.",
      "picture: Its settings for a provider (extras) are not offered along with it.",
      "client_side: It is a definition without code, so it was left out: give the tool itself.",
      "spelled: It is a definition without code, so it was left out: give the tool itself.",
      "web_search: The model's provider runs it outside this process, so it was omitted.",
    ]);
  });
});

it("a LangChain tool receives the idempotency key of the call in its metadata", async () => {
  const keys: unknown[] = [];
  const pay = langchainTool(
    (_, { metadata }: { readonly metadata?: Record<string, unknown> }) => {
      keys.push(metadata?.idempotencyKey);
      return "paid";
    },
    { ...about("pay"), schema: none },
  );
  const { turn } = await opened([pay]);
  expect((await turn("pay", {})).ok).toBe(true);
  expect(keys).toEqual([expect.stringMatching(/./)]);
});
