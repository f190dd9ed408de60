import { LanguageModel, Tool, Toolkit } from "effect/ai";
import * as Effect from "effect/Effect";
import * as Layer from "effect/Layer";
import * as ManagedRuntime from "effect/ManagedRuntime";
import * as Schema from "effect/Schema";
import * as Stream from "effect/Stream";
import { fakeModel, prompt, run, toolDescription, toolName } from "../case.ts";
import { type Contender, verified, versionOf } from "../contender.ts";

const Weather = Tool.make(toolName, {
  description: toolDescription,
  parameters: Schema.Struct({
    location: Schema.String,
    format: Schema.Literals(["celsius", "fahrenheit"]),
    days: Schema.Int,
    detailed: Schema.Boolean,
  }),
  success: Schema.Struct({ degrees: Schema.Finite, text: Schema.String }),
});
const kit = Toolkit.make(Weather);
const handlers = kit.toLayer({ [toolName]: (given) => Effect.succeed(run(given)) });

const usage = {
  inputTokens: { total: 1, uncached: 1, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: 1, text: 1, reasoning: undefined },
};

/** Its generateText runs the tools of one model message and stops; the final text is a second request. */
export const effectAi: Contender = {
  name: "effect/ai generateText",
  version: versionOf("effect"),
  make: async (calls) => {
    const ask = fakeModel(calls);
    const model = Layer.effect(
      LanguageModel.LanguageModel,
      LanguageModel.make({
        generateText: () =>
          Effect.map(Effect.promise(ask), (reply) => {
            if (reply.kind !== "calls") throw new Error("unexpected model request");
            return [
              ...reply.calls.map((call) => ({
                type: "tool-call" as const,
                id: call.id,
                name: call.tool,
                params: JSON.parse(call.input),
                providerExecuted: false,
              })),
              { type: "finish" as const, reason: "tool-calls" as const, usage, response: undefined },
            ];
          }),
        streamText: () => Stream.empty,
      }),
    );
    const runtime = ManagedRuntime.make(Layer.mergeAll(handlers, model));
    const program = LanguageModel.generateText({ prompt, toolkit: kit });
    const turn = async () => {
      const { toolResults } = await runtime.runPromise(program);
      return { toolResults, end: await ask() };
    };
    return verified(calls, turn, ({ toolResults, end }) => ({
      text: end.kind === "text" ? end.text : undefined,
      results: toolResults.map((result) => result.result),
    }));
  },
};
