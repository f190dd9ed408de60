import { LLMock } from "@copilotkit/aimock";

export const question = "How warm is it in Atlantis, and what time is it in Oslo?";

/** The usage of each answer in the format of each provider. */
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
 * A local mock of all providers, so that the examples need no key and no network. It makes two parallel
 * calls, and answers the question after both replies.
 */
export const startProvider = async (): Promise<Provider> => {
  const mock = new LLMock({ port: 0 });
  const toolCalls = [
    { name: "get_weather", arguments: { city: "Atlantis" } },
    { name: "get_time", arguments: { city: "Oslo" } },
  ];
  const first = { userMessage: question, hasToolResult: false };
  // Gemini always says STOP; the mock's default is a value that Gemini never sends.
  mock.on({ ...first, model: /^gemini/ }, { content: "", toolCalls, usage, finishReason: "stop" });
  mock.on(first, { content: "", toolCalls, usage });
  mock.on(
    { userMessage: question, hasToolResult: true },
    { content: "Atlantis has no time zone, and in Oslo it is noon.", usage },
  );
  await mock.start();
  return { url: mock.url, close: () => mock.stop() };
};
