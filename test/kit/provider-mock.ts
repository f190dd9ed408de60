import { LLMock } from "@copilotkit/aimock";

/** The first message of a conversation decides what the mocked provider does. */
export const mockPrompts = {
  calls: "What is the weather, and what is the time?",
  tooMany: "Ask too often",
  broken: "Break down",
  malformed: "Talk nonsense",
  gone: "Hang up",
  cut: "Break off",
  refused: "Refuse the key",
} as const;

/**
 * A third-party mock server on loopback for all providers: two parallel calls, then a text. Its Gemini ends a
 * message with calls by a reason that the real one never uses, so the reason can be set.
 */
export const providerMock = async (finishReason = "tool_calls"): Promise<LLMock> => {
  const mock = new LLMock({ port: 0 });
  mock.on(
    { userMessage: mockPrompts.calls, hasToolResult: false },
    {
      content: "Looking.",
      finishReason,
      toolCalls: [
        { id: "call_weather", name: "get_weather", arguments: '{"city":"Oslo"}' },
        { id: "call_time", name: "get_time", arguments: '{"zone":"CET"}' },
      ],
    },
  );
  mock.on({ userMessage: mockPrompts.calls, hasToolResult: true }, { content: "It is 21 degrees at noon." });
  const failing = (userMessage: string, status: number, type: string) =>
    mock.on({ userMessage }, { error: { message: `${type} happened`, type }, status, retryAfter: 7 });
  failing(mockPrompts.tooMany, 429, "rate_limit_error");
  failing(mockPrompts.broken, 500, "api_error");
  failing(mockPrompts.refused, 401, "authentication_error");
  mock.on({ userMessage: mockPrompts.malformed }, { content: "x" }, { chaos: { malformedRate: 1 } });
  mock.on({ userMessage: mockPrompts.gone }, { content: "x" }, { chaos: { disconnectRate: 1 } });
  mock.on(
    { userMessage: mockPrompts.cut },
    { content: "A text that never ends." },
    { chunkSize: 4, truncateAfterChunks: 3 },
  );
  await mock.start();
  return mock;
};
