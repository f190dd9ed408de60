import { LLMock } from "@copilotkit/aimock";

export const question = "How warm is it in Atlantis, and what time is it in Oslo?";

/** What a provider says of each answer, in the words of each. */
const usage = {
  prompt_tokens: 20,
  completion_tokens: 7,
  input_tokens: 20,
  output_tokens: 7,
  promptTokenCount: 20,
  candidatesTokenCount: 7,
};

export interface Provider {
  readonly url: string;
  readonly close: () => Promise<void>;
}

/**
 * A mock of every provider at once, on this machine, so that the examples need neither a key nor a network. It makes
 * two calls at once, and answers the question when it has both replies.
 */
export const startProvider = async (): Promise<Provider> => {
  const mock = new LLMock({ port: 0 });
  const toolCalls = [
    { name: "get_weather", arguments: { city: "Atlantis" } },
    { name: "get_time", arguments: { city: "Oslo" } },
  ];
  const first = { userMessage: question, hasToolResult: false };
  // Gemini says STOP whether it calls or not; left alone, the mock would say something Gemini never says.
  mock.on({ ...first, model: /^gemini/ }, { content: "", toolCalls, usage, finishReason: "stop" });
  mock.on(first, { content: "", toolCalls, usage });
  mock.on(
    { userMessage: question, hasToolResult: true },
    { content: "There is no Atlantis, and in Oslo it is noon.", usage },
  );
  await mock.start();
  return { url: mock.url, close: () => mock.stop() };
};
