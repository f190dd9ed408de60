import { generateText, streamText } from "ai";

/** Both loops of the AI SDK with the same signature. */
export const aiSdkLoops = {
  generateText,
  streamText: async (options: Parameters<typeof streamText>[0]) => {
    const result = streamText({ ...options, onError: () => {} } as Parameters<typeof streamText>[0]);
    await result.consumeStream();
    return {
      text: await result.text,
      content: await result.content,
      steps: await result.steps,
      responseMessages: await result.responseMessages,
    };
  },
};
