import type * as Chat from "effect/ai/Chat";
import type * as LanguageModel from "effect/ai/LanguageModel";
import * as Prompt from "effect/ai/Prompt";
import * as Effect from "effect/Effect";
import { toEffectAiTools } from "../../src/integrations/effect-ai/to-tools.ts";
import type { Session } from "../../src/runtime/session.ts";
import type { scriptedEffectAiModel } from "./scripted-effect-ai.ts";

/**
 * The loop that a user of `effect/ai` writes: calls the model until it makes no more calls or an approval is
 * pending.
 */
export const runEffectAiLoop = (chat: Chat.Chat, session: Session, prompt: Prompt.RawInput) =>
  Effect.gen(function* () {
    const { toolkit, layer } = toEffectAiTools(session);
    const generate = (input: Prompt.RawInput) =>
      chat.generateText({ prompt: input, toolkit }).pipe(Effect.provide(layer));
    let response = yield* generate(prompt);
    while (
      response.finishReason === "tool-calls" &&
      response.content.every(({ type }) => type !== "tool-approval-request")
    ) {
      response = yield* generate([]);
    }
    return response;
  });

export const runWithScriptedModel = <A, E>(
  effect: Effect.Effect<A, E, LanguageModel.LanguageModel>,
  { layer }: ReturnType<typeof scriptedEffectAiModel>,
) => Effect.runPromise(Effect.provide(effect, layer));

/** Answers every approval request in a prompt, as parts of Effect. */
export const withApprovalResponses =
  (approved: boolean, times = 1) =>
  (prompt: Prompt.Prompt) => {
    const parts = prompt.content.flatMap(({ role, content }) => (role === "assistant" ? [...content] : []));
    const requests = parts.filter((part) => part.type === "tool-approval-request");
    const content = requests.map(({ approvalId }) =>
      Prompt.makePart("tool-approval-response", { approvalId, approved, reason: "because" }),
    );
    const responses = Array.from({ length: times }, () => content).flat();
    return Prompt.fromMessages([...prompt.content, Prompt.toolMessage({ content: responses })]);
  };
