import * as Effect from "effect/Effect";
import type { Repairer, RepairQuestion } from "../words/hydration.ts";
import type { Model, ModelOptions } from "../words/model.ts";

/** Has the model make the call once more, in time. It is shown that one tool, and must call it. */
export const repairerBy =
  (model: () => Promise<Model>, withinMs: number): Repairer =>
  (question, options) => {
    const asked = Effect.tryPromise((signal) => ask(model, question, { signal }));
    return Effect.runPromise(Effect.timeout(asked, withinMs), options);
  };

const ask = async (
  model: () => Promise<Model>,
  { spec, text, problem }: RepairQuestion,
  options: ModelOptions,
): Promise<string> => {
  const chosen = await model();
  const content = `A call of "${spec.name}" had arguments that cannot be used.\nThe arguments: ${text}\nThe problem: ${problem}\nMake the same call once more, meaning the same, with arguments that are right. Invent nothing.`;
  const reply = await chosen.generate(
    {
      messages: [{ role: "user", content }],
      tools: [{ wireName: spec.name, spec }],
      settings: { toolChoice: { tool: spec.name } },
    },
    options,
  );
  const call = reply.calls.find(({ tool, finish }) => tool === spec.name && finish !== "incomplete");
  if (call === undefined) return reply.text;
  return typeof call.input === "string" ? call.input : JSON.stringify(call.input);
};
