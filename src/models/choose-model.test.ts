import { describe, expect, it } from "vitest";
import { ConfigurationError } from "../types/errors.ts";
import { chooseModel } from "./choose-model.ts";

describe("chooseModel", () => {
  it.each([
    ["openai/gpt-5", "openai/gpt-5"],
    ["OpenAI/gpt-4o-mini", "openai/gpt-4o-mini"],
    ["Anthropic/claude-x", "anthropic/claude-x"],
    ["ollama/hf.co/someone/Model-GGUF:Q4", "ollama/hf.co/someone/Model-GGUF:Q4"],
    ["google/gemini-x", "gemini/gemini-x"],
    ["Gemini/gemini-x", "gemini/gemini-x"],
    [" openai/gpt-5 ", "openai/gpt-5"],
    ["offline", "offline/planner"],
    ["Offline/Planner", "offline/planner"],
  ])("resolves %j to %j", async (name, id) => {
    expect((await chooseModel(name)).id).toBe(id);
  });

  it.each<[unknown]>([
    ["gpt-5"],
    [""],
    ["/"],
    ["openai/"],
    ["/gpt-5"],
    ["mystery/model"],
    ["constructor/x"],
    ["__proto__/x"],
    ["offline/other"],
    [undefined],
    [42],
  ])("rejects %j with the list of providers and an example", async (name) => {
    const choosing = chooseModel(name as string);
    await expect(choosing).rejects.toThrow(ConfigurationError);
    await expect(choosing).rejects.toThrow(
      /provider\/model-id, such as "openai\/gpt-5".*openai, anthropic, ollama, gemini \(or google\), and offline/s,
    );
  });

  it.each([
    ["openai/gpt-5", "OPENAI_API_KEY"],
    ["anthropic/claude-x", "ANTHROPIC_API_KEY"],
    ["gemini/gemini-x", "GEMINI_API_KEY"],
  ])("fails for %s at the first request and names %s when the key is missing", async (name, variable) => {
    const model = await chooseModel(name, { env: {} });
    const asking = model.generate({ messages: [{ role: "user", content: "Hello" }], tools: [] });
    await expect(asking).rejects.toThrow(ConfigurationError);
    await expect(asking).rejects.toThrow(variable);
  });

  it("opens the offline planner", async () => {
    const model = await chooseModel("offline");
    const reply = await model.generate({ messages: [{ role: "user", content: "Hello" }], tools: [] });
    expect(reply.text).toMatch(/^\(offline planner\) /);
  });
});
