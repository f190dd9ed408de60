import type * as Chat from "effect/ai/Chat";
import type * as LanguageModel from "effect/ai/LanguageModel";
import * as Prompt from "effect/ai/Prompt";
import * as Effect from "effect/Effect";
import { toEffectAiTools } from "../../src/bridges/effect-ai/to-tools.ts";
import type { Session } from "../../src/runtime/session.ts";
import type { scriptedEffectAi } from "./scripted-effect-ai.ts";

/** What a user of `effect/ai` writes: asks the model until it calls nothing more, or a person must answer. */
export const converse = (chat: Chat.Chat, session: Session, prompt: Prompt.RawInput) =>
  Effect.gen(function* () {
    const { toolkit, layer } = toEffectAiTools(session);
    const ask = (said: Prompt.RawInput) =>
      chat.generateText({ prompt: said, toolkit }).pipe(Effect.provide(layer));
    let response = yield* ask(prompt);
    while (
      response.finishReason === "tool-calls" &&
      response.content.every(({ type }) => type !== "tool-approval-request")
    ) {
      response = yield* ask([]);
    }
    return response;
  });

export const run = <A, E>(
  effect: Effect.Effect<A, E, LanguageModel.LanguageModel>,
  { layer }: ReturnType<typeof scriptedEffectAi>,
) => Effect.runPromise(Effect.provide(effect, layer));

/** Answers to every request in a prompt, as Effect's own part. */
export const answered =
  (approved: boolean, times = 1) =>
  (prompt: Prompt.Prompt) => {
    const parts = prompt.content.flatMap(({ role, content }) => (role === "assistant" ? [...content] : []));
    const asked = parts.filter((part) => part.type === "tool-approval-request");
    const content = asked.map(({ approvalId }) =>
      Prompt.makePart("tool-approval-response", { approvalId, approved, reason: "because" }),
    );
    const said = Array.from({ length: times }, () => content).flat();
    return Prompt.fromMessages([...prompt.content, Prompt.toolMessage({ content: said })]);
  };
