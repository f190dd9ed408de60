import { MockLanguageModelV4 } from "ai/test";
import { fakeModel } from "../case.ts";

const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
};

/**
 * The fake model as an AI SDK provider, which Mastra uses too. It does not rely on the mock's log, which
 * would grow with every turn.
 */
export const languageModel = (calls: number): MockLanguageModelV4 => {
  const ask = fakeModel(calls);
  const model: MockLanguageModelV4 = new MockLanguageModelV4({
    doGenerate: async () => {
      model.doGenerateCalls.length = 0;
      const reply = await ask();
      if (reply.kind === "text") {
        return {
          content: [{ type: "text", text: reply.text }],
          finishReason: { unified: "stop", raw: "stop" },
          usage,
          warnings: [],
        };
      }
      return {
        content: reply.calls.map((call) => ({
          type: "tool-call",
          toolCallId: call.id,
          toolName: call.tool,
          input: call.input,
        })),
        finishReason: { unified: "tool-calls", raw: "tool_calls" },
        usage,
        warnings: [],
      };
    },
  });
  return model;
};
