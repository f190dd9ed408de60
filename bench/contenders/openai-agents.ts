import { Agent, type Model, Runner, tool, Usage } from "@openai/agents";
import { fakeModel, input, prompt, run, toolDescription, toolName } from "../case.ts";
import { type Contender, verified, versionOf } from "../contender.ts";

const fake = (calls: number): Model => {
  const ask = fakeModel(calls);
  return {
    getResponse: async () => {
      const reply = await ask();
      if (reply.kind === "text") {
        const content = [{ type: "output_text" as const, text: reply.text }];
        return {
          usage: new Usage(),
          output: [{ type: "message", role: "assistant", status: "completed", content }],
        };
      }
      return {
        usage: new Usage(),
        output: reply.calls.map((call) => ({
          type: "function_call",
          callId: call.id,
          name: call.tool,
          arguments: call.input,
          status: "completed",
        })),
      };
    },
    getStreamedResponse: () => {
      throw new Error("the case does not stream");
    },
  };
};

export const openaiAgents: Contender = {
  name: "OpenAI Agents run",
  version: versionOf("@openai/agents"),
  make: async (calls) => {
    const weather = tool({
      name: toolName,
      description: toolDescription,
      parameters: input,
      execute: async (given) => run(given),
    });
    const agent = new Agent({ name: "bench", instructions: "Answer.", model: fake(calls), tools: [weather] });
    const runner = new Runner({ tracingDisabled: true });
    const turn = () => runner.run(agent, prompt);
    return verified(calls, turn, (result) => ({
      text: result.finalOutput,
      results: result.newItems
        .filter((item) => item.type === "tool_call_output_item")
        .map((item) => (typeof item.output === "string" ? JSON.parse(item.output) : item.output)),
    }));
  },
};
