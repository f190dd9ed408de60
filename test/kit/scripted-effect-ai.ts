import * as LanguageModel from "effect/ai/LanguageModel";
import type * as Prompt from "effect/ai/Prompt";
import type * as Response from "effect/ai/Response";
import * as Effect from "effect/Effect";
import * as Layer from "effect/Layer";
import * as Stream from "effect/Stream";
import type { ScriptStep } from "./scripted-ai-sdk.ts";

const usage = { inputTokens: {}, outputTokens: {} };

const callsOf = (step: Exclude<ScriptStep, string>): readonly Response.ToolCallPartEncoded[] =>
  step.map(([id, name, params]) => ({ type: "tool-call", id, name, params }));

const finishOf = (step: ScriptStep): Response.FinishPartEncoded => ({
  type: "finish",
  reason: typeof step === "string" ? "stop" : "tool-calls",
  usage,
});

/**
 * A model of `effect/ai` with scripted steps that records its prompts. It finds the next step by the
 * conversation.
 */
export const scriptedEffectAiModel = (...steps: readonly ScriptStep[]) => {
  const read: Prompt.Prompt[] = [];
  const next = (prompt: Prompt.Prompt): ScriptStep => {
    read.push(prompt);
    return steps[prompt.content.filter(({ role }) => role === "assistant").length] ?? "Done.";
  };
  const layer = Layer.effect(
    LanguageModel.LanguageModel,
    LanguageModel.make({
      generateText: ({ prompt }) => {
        const step = next(prompt);
        const said = typeof step === "string" ? [{ type: "text" as const, text: step }] : callsOf(step);
        return Effect.succeed([...said, finishOf(step)]);
      },
      streamText: ({ prompt }) => {
        const step = next(prompt);
        const said: readonly Response.StreamPartEncoded[] =
          typeof step === "string"
            ? [
                { type: "text-start", id: "0" },
                { type: "text-delta", id: "0", delta: step },
                { type: "text-end", id: "0" },
              ]
            : callsOf(step);
        return Stream.fromIterable<Response.StreamPartEncoded>([...said, finishOf(step)]);
      },
    }),
  );
  /** The result of a call as the model last read it. */
  const toldOf = (callId: string): unknown => {
    const parts = (read.at(-1)?.content ?? []).flatMap(({ role, content }) =>
      role === "tool" ? [...content] : [],
    );
    const results = parts.flatMap((part) =>
      part.type === "tool-result" && part.id === callId ? [part] : [],
    );
    const last = results.at(-1);
    return last === undefined ? undefined : { isFailure: last.isFailure, result: last.result };
  };
  return { layer, toldOf };
};
