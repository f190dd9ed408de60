import { Agent } from "@mastra/core/agent";
import type { MastraModelConfig } from "@mastra/core/llm";
import { createTool } from "@mastra/core/tools";
import { input, output, prompt, run, toolDescription, toolName } from "../case.ts";
import { type Contender, verified, versionOf } from "../contender.ts";
import { languageModel } from "./ai-sdk-model.ts";

export const mastra: Contender = {
  name: "Mastra generate",
  version: versionOf("@mastra/core"),
  make: async (calls) => {
    const weather = createTool({
      id: toolName,
      description: toolDescription,
      inputSchema: input,
      outputSchema: output,
      execute: async (given) => run(given),
    });
    // Mastra has its own copy of the provider types, which differ in name only.
    const model = languageModel(calls) as unknown as MastraModelConfig;
    const agent = new Agent({
      id: "bench",
      name: "bench",
      instructions: "Answer.",
      model,
      tools: { [toolName]: weather },
    });
    const turn = () => agent.generate(prompt, { maxSteps: 5 });
    return verified(calls, turn, ({ text, toolResults }) => ({
      text,
      results: toolResults.map((result) => result.payload.result),
    }));
  },
};
