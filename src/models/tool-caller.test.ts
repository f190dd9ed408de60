import { describe, expect, it } from "vitest";
import { Haft } from "../runtime/haft.ts";
import { Tool } from "../tools/decorator.ts";
import { tool } from "../tools/tool.ts";
import type { RawCall } from "../types/call.ts";
import { ConfigurationError, ModelError } from "../types/errors.ts";
import type { HydrationResult } from "../types/hydration.ts";
import type { Model, ModelRequest } from "../types/model.ts";
import { type ToolHydrator, toolCaller } from "./tool-caller.ts";

const weather = tool({
  name: "get_weather",
  description: "Weather",
  input: { type: "object" },
  run: () => 1,
});
const calls: readonly RawCall[] = [
  { id: "1", tool: "get_weather", input: "{}" },
  { id: "2", tool: "web_search", input: "{}", providerExecuted: true },
  { id: "3", tool: "get_weather", input: "{}" },
];

const scripted = () => {
  const asked: ModelRequest[] = [];
  const model: Model = {
    id: "test/model",
    generate: async (request) => {
      asked.push(request);
      return { text: "", calls, usage: { inputTokens: 0, outputTokens: 0 }, finish: "calls" };
    },
    stream: () => {
      throw new Error("not asked");
    },
  };
  return { asked, model };
};

const pipeline =
  (hydrated: (readonly RawCall[])[]) =>
  (tools: readonly (typeof weather)[]): ToolHydrator => ({
    list: tools.map(({ spec }) => ({ wireName: spec.name, spec })),
    hydrate: async (given) => {
      hydrated.push(given);
      return given.map(({ id }) => ({ provenance: { callId: id } }) as HydrationResult);
    },
  });

const messages = [{ role: "user", content: "Hi" }] as const;

describe("toolCall", () => {
  it("sends tools and decorated classes and hydrates all calls except provider-executed ones", async () => {
    const { asked, model } = scripted();
    const hydrated: (readonly RawCall[])[] = [];
    const Clock = Tool({ name: "get_time", description: "Time", input: [] })(
      class {
        run() {
          return 1;
        }
      },
    );
    const caller = toolCaller(model, pipeline(hydrated) as never);
    const results = await caller.toolCall(messages, [weather, Clock], { settings: { temperature: 0 } });
    expect(results.map(({ provenance }) => provenance.callId)).toEqual(["1", "3"]);
    expect(hydrated).toEqual([[calls[0], calls[2]]]);
    expect(asked).toMatchObject([
      {
        messages,
        tools: [{ wireName: "get_weather" }, { wireName: "get_time" }],
        settings: { temperature: 0 },
      },
    ]);
  });

  it("hydrates with its own pipeline for a list of tools, and a result runs its call", async () => {
    const { model } = scripted();
    const [result] = await toolCaller(model).toolCall(messages, [weather]);
    expect(result).toMatchObject({ success: true, provenance: { tool: "get_weather", callId: "1" } });
    expect(await result?.tool?.run()).toBe(1);
  });

  it("sends and hydrates against the offer of a runtime", async () => {
    const { asked, model } = scripted();
    const haft = await Haft.open({ tools: [weather], principal: { agent: "test", allow: ["*"] } });
    const [result] = await toolCaller(model).toolCall(messages, haft);
    expect(asked[0]?.tools).toEqual([{ wireName: "get_weather", spec: weather.spec }]);
    expect(result).toMatchObject({ success: true, provenance: { tool: "get_weather" } });
    await haft.close();
  });

  it("sends no tools when the caller of a runtime sees none", async () => {
    const { asked, model } = scripted();
    const haft = await Haft.open({ tools: [weather], principal: { agent: "test", allow: [] } });
    const [result] = await toolCaller(model).toolCall(messages, haft);
    expect(asked[0]?.tools).toEqual([]);
    expect(result).toMatchObject({ success: false, errors: [{ stage: "find" }] });
    await haft.close();
  });

  it("rejects a value that is not a tool before calling the model", async () => {
    const { asked, model } = scripted();
    const caller = toolCaller(model, pipeline([]) as never);
    await expect(caller.toolCall(messages, [{} as never])).rejects.toMatchObject({ code: "invalid_config" });
    expect(asked).toEqual([]);
  });

  it("returns one failed result with code and retryability when the model fails", async () => {
    const { model } = scripted();
    const limits = { retryAfterMs: 7_000, status: 429 };
    const failing = (error: Error): Model => ({ ...model, generate: () => Promise.reject(error) });
    const limited = failing(new ModelError("model_rate_limited", "test/model: come back later.", limits));
    const results = await toolCaller(limited).toolCall(messages, [weather]);
    expect(results).toMatchObject([
      {
        success: false,
        errors: [
          {
            stage: "ask",
            message: "test/model: come back later.",
            detail: { code: "model_rate_limited", retryable: true, ...limits },
          },
        ],
        provenance: { providerToolId: "", repaired: false },
      },
    ]);
    expect(results[0]?.tool).toBeUndefined();
    const key = failing(new ConfigurationError("invalid_config", "Set OPENAI_API_KEY."));
    expect((await toolCaller(key).toolCall(messages, [weather]))[0]?.errors).toMatchObject([
      { stage: "ask", message: "Set OPENAI_API_KEY.", detail: { code: "invalid_config", retryable: false } },
    ]);
  });
});
