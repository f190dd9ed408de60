import { MockLanguageModelV4 } from "ai/test";

/** What the model sends in one step: text, or calls by id. */
export type ScriptStep = string | readonly (readonly [id: string, tool: string, input: unknown])[];

type StreamPart =
  Awaited<ReturnType<MockLanguageModelV4["doStream"]>>["stream"] extends ReadableStream<infer Part>
    ? Part
    : never;

const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
};

const callsOf = (step: Exclude<ScriptStep, string>) =>
  step.map(([toolCallId, toolName, input]) => ({
    type: "tool-call" as const,
    toolCallId,
    toolName,
    input: JSON.stringify(input),
  }));

const finishOf = (step: ScriptStep) => ({
  unified: typeof step === "string" ? ("stop" as const) : ("tool-calls" as const),
  raw: undefined,
});

const partsOf = (step: ScriptStep): readonly StreamPart[] => [
  ...(typeof step === "string"
    ? [
        { type: "text-start" as const, id: "0" },
        { type: "text-delta" as const, id: "0", delta: step },
        { type: "text-end" as const, id: "0" },
      ]
    : callsOf(step)),
  { type: "finish", usage, finishReason: finishOf(step) },
];

/**
 * A model of the AI SDK with scripted steps. It finds the next step by the conversation, so that a new
 * process continues.
 */
export const scriptedAiSdkModel = (...steps: readonly ScriptStep[]): MockLanguageModelV4 => {
  const next = (prompt: readonly { readonly role: string }[]): ScriptStep =>
    steps[prompt.filter(({ role }) => role === "assistant").length] ?? "Done.";
  return new MockLanguageModelV4({
    doGenerate: async ({ prompt }) => {
      const step = next(prompt);
      const content = typeof step === "string" ? [{ type: "text" as const, text: step }] : callsOf(step);
      return { content, finishReason: finishOf(step), usage, warnings: [] };
    },
    doStream: async ({ prompt }) => ({ stream: ReadableStream.from<StreamPart>(partsOf(next(prompt))) }),
  });
};

/** The result of a call as the model last read it. */
export const lastToolResult = (
  { doGenerateCalls, doStreamCalls }: MockLanguageModelV4,
  callId: string,
): unknown => {
  const prompt = [...doGenerateCalls, ...doStreamCalls].at(-1)?.prompt ?? [];
  const results = prompt
    .flatMap((message) => (message.role === "tool" ? message.content : []))
    .filter((part) => part.type === "tool-result" && part.toolCallId === callId);
  return results.map((part) => (part.type === "tool-result" ? part.output : undefined)).at(-1);
};
