import { generateText, isStepCount, tool } from "ai";
import { input, output, prompt, run, toolDescription, toolName } from "../case.ts";
import { type Contender, verified, versionOf } from "../contender.ts";
import { languageModel } from "./ai-sdk-model.ts";

export const aiSdk: Contender = {
  name: "AI SDK generateText",
  version: versionOf("ai"),
  make: async (calls) => {
    const model = languageModel(calls);
    const tools = {
      [toolName]: tool({
        description: toolDescription,
        inputSchema: input,
        outputSchema: output,
        execute: async (given) => run(given),
      }),
    };
    const turn = () => generateText({ model, tools, stopWhen: isStepCount(5), prompt });
    return verified(calls, turn, ({ text, steps }) => ({
      text,
      results: steps[0]?.toolResults.map((result) => result.output) ?? [],
    }));
  },
};
