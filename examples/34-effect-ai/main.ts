// Session tools in a loop of effect/ai: a pending mail survives the end of its process.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Effect, Layer, Ref, Stream } from "effect";
//#region tools
import { Chat, LanguageModel, type Prompt } from "effect/ai";
import { settleApprovals, toEffectAiTools } from "haft/integrations/effect-ai";
//#endregion
import { type Place, tell } from "../in-your-loop/story.ts";

const call = (name: string, params: object) => [
  { type: "tool-call" as const, id: `call-${name}`, name, params },
  { type: "finish" as const, reason: "tool-calls" as const, usage: { inputTokens: {}, outputTokens: {} } },
];

/** A scripted model that replies by the conversation. */
const model = Layer.effect(
  LanguageModel.LanguageModel,
  LanguageModel.make({
    generateText: ({ prompt }) => {
      const said = prompt.content.filter(({ role }) => role === "assistant").length;
      const wasSent = JSON.stringify(prompt.content.at(-1)).includes("sent");
      const steps = [
        call("read_page", { url: "https://example.com" }),
        call("send_mail", { to: "ada@example.com", text: "hello" }),
      ];
      return Effect.succeed(
        steps[said] ?? [{ type: "text", text: wasSent ? "It was sent." : "It was not." }],
      );
    },
    streamText: () => Stream.empty,
  }),
);

/** One turn of the conversation: until the model makes no more calls, or a call is pending. */
const generateReply = ({ haft, folder }: Place, chat: Chat.Chat, prompt: Prompt.RawInput) =>
  Effect.gen(function* () {
    //#region tools
    const session = haft.session({ id: "letter-7" });
    const { prompt: history, waiting } = yield* settleApprovals(session, yield* Ref.get(chat.history));
    if (waiting.length > 0) return `Waits for \`haft approve ${waiting[0]?.approvalId}\`.`;
    yield* Ref.set(chat.history, history);

    const { toolkit, layer } = toEffectAiTools(session);
    let response = yield* chat.generateText({ prompt, toolkit }).pipe(Effect.provide(layer));
    //#endregion
    const pauses = () => response.content.some(({ type }) => type === "tool-approval-request");
    while (response.finishReason === "tool-calls" && !pauses()) {
      response = yield* chat.generateText({ prompt: [], toolkit }).pipe(Effect.provide(layer));
    }
    writeFileSync(join(folder, "chat.json"), yield* chat.exportJson);
    return response.text;
  }).pipe(Effect.provide(model));

await tell(import.meta.url, {
  begin: (place) =>
    Effect.runPromise(
      Effect.gen(function* () {
        yield* generateReply(place, yield* Chat.empty, "Read example.com and write to Ada.");
      }),
    ),
  goOn: (place) =>
    Effect.runPromise(
      Effect.gen(function* () {
        const chat = yield* Chat.fromJson(readFileSync(join(place.folder, "chat.json"), "utf8"));
        return yield* generateReply(place, chat, []);
      }),
    ),
});
